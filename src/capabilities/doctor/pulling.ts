import { type Finding, finding } from './findings.js';
import type { Restaurant } from './restaurants.js';

/** A POS that has not polled for this time is silent, in ms: a poll is noted once a minute (Q3). */
const SILENT_MS = 180_000;

/** The checks of a restaurant whose POS fetches its orders (Q12): in place of those of a POS that the relay calls. */
export function pullingFindings(restaurant: Restaurant): Finding[] {
  return [currency(restaurant), polling(restaurant)];
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
