import ipaddr from 'ipaddr.js';

/** The IPv4 address; of an IPv6 address its first 64 bits, which one host has for itself. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  return ip instanceof ipaddr.IPv6 ? ip.parts.slice(0, 4).join(':') : ip.toString();
}
