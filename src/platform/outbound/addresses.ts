import ipaddr from 'ipaddr.js';
import type { OutboundException } from '../config/outbound-allow.js';

/**
 * Global unicast (RFC 4291, 2.4). What is outside is not routed, but `ipaddr.js` calls some of it `unicast`: `::7f00:1`, which is how a URL
 * writes `::127.0.0.1`.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether the text is an address of the public internet: `unicast` and no other range, an IPv4-mapped IPv6 address counted as
 * the IPv4 address in it (G28).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** Whether an exception is a network with this address. */
export function isInNetwork(text: string, allow: readonly OutboundException[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return allow.some(
    (entry) =>
      'network' in entry && entry.network[0].kind() === address.kind() && address.match(entry.network as never),
  );
}

/** The IP address that a host of a URL is; undefined for a name. @param hostname as in `URL.hostname` */
export function literalIn(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : undefined;
}
