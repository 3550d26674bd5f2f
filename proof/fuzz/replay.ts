import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Violation } from './campaign.js';

/** More bytes than these are not printed, but kept in a file like the others. */
const MAX_PRINTED_BYTES = 1_500;

/** How to see a violation again: by its seed, and by its very bytes. They hold tokens of tenants that are gone by then. */
export function replay({ n, text, request }: Violation, seed: number, url: string): string {
  const folder = join(tmpdir(), `relay-fuzz-failures-${seed}`);
  const file = join(folder, `${n}.http`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, request.bytes);
  const { hostname, port } = new URL(url);
  const { length } = request.bytes;
  const hex = length <= MAX_PRINTED_BYTES ? request.bytes.toString('hex') : `${length} bytes, in the file`;
  return [
    `FAILED ${seed}/${n}: ${text}`,
    `  by ${request.caller.name}: ${JSON.stringify(request.bytes.subarray(0, 120).toString('latin1'))}`,
    `  again: npm run fuzz -- --seed ${seed} --only ${n}`,
    `  bytes: nc ${hostname} ${port} < ${file}`,
    `  hex:   ${hex}`,
  ].join('\n');
}
