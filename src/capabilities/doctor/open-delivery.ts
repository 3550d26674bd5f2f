import type { Config } from '../../platform/config/config.js';
import { refusalOf } from '../../platform/outbound/guard.js';
import { clientSecretContext } from '../../platform/secrets/contexts.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { type Finding, finding } from './findings.js';
import type { Restaurant } from './restaurants.js';

interface Means {
  readonly config: Config;
  readonly box: SecretBox;
}

/** A POS that has not polled for this time is silent, in ms: a poll is noted once a minute (Q3). */
const SILENT_MS = 180_000;

/** The checks of a restaurant whose POS reads its orders at the relay (Q12, Q22): in place of those of a POS to which orders are sent. */
export function openDeliveryFindings(restaurant: Restaurant, means: Means): Finding[] {
  const { posBaseUrl } = restaurant;
  return [currency(restaurant), posBaseUrl === null ? polling(restaurant) : events(restaurant, posBaseUrl, means)];
}

function currency({ currency: set }: Restaurant): Finding {
  return set
    ? finding('currency', 'ok', 'CURRENCY_SET', { currency: set })
    : finding('currency', 'bad', 'CURRENCY_MISSING');
}

function polling({ liveCredentials, polledAgoMs, leftOut }: Restaurant): Finding {
  const name = 'polling';
  if (liveCredentials === 0) return finding(name, 'bad', 'POLL_CREDENTIALS_MISSING');
  if (polledAgoMs === null) return finding(name, 'bad', 'POLL_NEVER');
  if (polledAgoMs > SILENT_MS) return finding(name, 'bad', 'POLL_SILENT', { ms: polledAgoMs });
  if (leftOut.length > 0) return finding(name, 'bad', 'POLL_LEAVES_OUT', { types: leftOut.join(', ') });
  return finding(name, 'ok', 'POLLS', { ms: polledAgoMs });
}

function events({ liveCredentials, clientSecrets }: Restaurant, posBaseUrl: string, { config, box }: Means): Finding {
  const name = 'events';
  if (liveCredentials === 0) return finding(name, 'bad', 'POLL_CREDENTIALS_MISSING');
  const canSign = clientSecrets.some(
    ({ credentialId, sealed }) => box.open(sealed, clientSecretContext(credentialId)) !== undefined,
  );
  if (!canSign) return finding(name, 'bad', 'EVENTS_UNSIGNED');
  const reason = refusalOf(posBaseUrl, config.alerts.outboundAllow);
  if (reason !== undefined) return finding(name, 'bad', 'EVENTS_ADDRESS_REFUSED', { reason });
  return finding(name, 'ok', 'EVENTS_SIGNED', { address: posBaseUrl });
}
