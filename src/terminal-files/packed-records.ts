import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FileRecord } from '../domain/file-mapping.js';

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];
/** Five megabytes of CSV have less than this as JSON. */
const MAX_UNPACKED = 64 * 1_048_576;

/** The records of a file as they are kept until it is confirmed (J2): gzip of JSON. */
export function packed(records: readonly FileRecord[]): Promise<Buffer> {
  return pack(JSON.stringify(records.map(({ line, cells }) => [line, ...cells])));
}

/** The records that {@link packed} has written. */
export async function unpacked(content: Uint8Array): Promise<FileRecord[]> {
  const text = (await unpack(content, { maxOutputLength: MAX_UNPACKED })).toString();
  const records = JSON.parse(text) as [number, ...string[]][];
  return records.map(([line, ...cells]) => ({ line, cells }));
}
