import { lookup } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

/** An IP address of a host, as `dns.lookup` gives it. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Looks up the addresses of a host. A provider of its own, so that tests can say what a name leads to. */
@Injectable()
export class HostResolver {
  /** @throws the error of `dns.lookup` */
  resolve(host: string): Promise<HostAddress[]> {
    return lookup(host, { all: true, verbatim: true });
  }
}
