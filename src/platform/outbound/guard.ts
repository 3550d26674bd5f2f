import type { OutboundException } from '../config/outbound-allow.js';
import { isInNetwork, isPublicAddress, literalIn } from './addresses.js';

const MAX_LENGTH = 2_000;
const PORTS = ['443', '8443'];
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)$/;

/**
 * Why an address that a person typed is not called (G28), in words for people; undefined: it may be called. The transport checks the
 * same again for each call, and also the addresses that a name leads to.
 * @param allow OUTBOUND_ALLOW
 */
export function refusalOf(text: string, allow: readonly OutboundException[]): string | undefined {
  if (text.length > MAX_LENGTH) return `an address has at most ${MAX_LENGTH} characters`;
  if (!URL.canParse(text)) return 'this is no address';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'the address must begin with https://';
  if (url.username !== '' || url.password !== '') return 'the address must not carry a user name or a password';
  if (isException(url, allow)) return undefined;
  if (url.protocol !== 'https:') return 'the address must begin with https://';
  if (url.port !== '' && !PORTS.includes(url.port)) return `the port must be ${PORTS.join(' or ')}`;
  const literal = literalIn(url.hostname);
  // where networks are exceptions, the look-up decides about a name
  const isLocal = () => LOCAL_NAME.test(hostOf(url)) && !allow.some((entry) => 'network' in entry);
  if (literal === undefined ? isLocal() : !isPublicAddress(literal))
    return 'the address does not lead to the public internet';
  return undefined;
}

/** Whether OUTBOUND_ALLOW names the host of the URL, or a network with it: http, every port and private addresses are then allowed. */
export function isException(url: URL, allow: readonly OutboundException[]): boolean {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const isNamed = allow.some(
    (entry) => 'host' in entry && entry.host === hostOf(url) && (entry.port === undefined || entry.port === port),
  );
  return isNamed || isInNetwork(literalIn(url.hostname) ?? '', allow);
}

/** Whether OUTBOUND_ALLOW names the host of the URL, with any port: the operator chose the name. */
export function isNamed(url: URL, allow: readonly OutboundException[]): boolean {
  return allow.some((entry) => 'host' in entry && entry.host === hostOf(url));
}

/** The host without the dot of the root. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}
