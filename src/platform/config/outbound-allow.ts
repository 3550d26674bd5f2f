import ipaddr from 'ipaddr.js';
import type { EnvironmentReader } from './environment.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An entry of OUTBOUND_ALLOW: a host, with one port or with every port; or a network. */
export type OutboundException =
  | { readonly host: string; readonly port: number | undefined }
  | { readonly network: readonly [address: Address, bits: number] };

const EXAMPLE = 'for example hooks.internal, 10.1.2.3:8080, 10.1.0.0/16';

/** A comma list of hosts, hosts with a port, and networks. */
export function readOutboundAllow(read: EnvironmentReader, name: string): readonly OutboundException[] {
  const words = (read.text(name) ?? '').split(',').map((word) => word.trim());
  return words
    .filter((word) => word !== '')
    .flatMap((word) => {
      const entry = word.includes('/') ? networkOf(word) : hostOf(word);
      if (!entry) read.problem(name, `must be hosts, hosts with a port, and networks separated by commas, ${EXAMPLE}`);
      return entry ?? [];
    });
}

function networkOf(word: string): OutboundException | undefined {
  return ipaddr.isValidCIDR(word) ? { network: ipaddr.parseCIDR(word) } : undefined;
}

/** The host is written as in `URL.hostname`, so that one text stands for each host. */
function hostOf(word: string): OutboundException | undefined {
  const bare = ipaddr.IPv6.isValid(word) ? `[${word}]` : word;
  if (!/^(\[[\da-f:.]+\]|[^\s/?#@:[\]\\]+)(:\d{1,5})?$/i.test(bare) || !URL.canParse(`http://${bare}`))
    return undefined;
  const { hostname } = new URL(`http://${bare}`);
  // not URL.port, which is empty for port 80
  const port = /:(\d+)$/.exec(bare.replace(/^\[.*\]/, ''))?.[1];
  return { host: hostname.replace(/\.$/, ''), port: port === undefined ? undefined : Number(port) };
}
