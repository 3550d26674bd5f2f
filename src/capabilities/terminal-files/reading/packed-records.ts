import { createGunzip, gzipSync } from 'node:zlib';
import type { FileRecord } from '../../../platform/files/rules/csv.js';

/** Five megabytes of CSV have less than this as JSON; characters. */
const MAX_UNPACKED = 64 * 1_048_576;
/** A record in the JSON: its line, and its cells. */
const RECORD = /\[\d+(?:,"[^"\\]*(?:\\.[^"\\]*)*")*\]/y;

/** The records of a file as they are kept until it is confirmed (J2): gzip of a JSON array of arrays, each a line and its cells. */
export function packed(records: readonly FileRecord[]): Buffer {
  return gzipSync(JSON.stringify(records.map(({ line, cells }) => [line, ...cells])));
}

/** The records that {@link packed} has written, one at a time: all of them would need many times the memory. */
export async function* unpacked(content: Uint8Array): AsyncGenerator<FileRecord> {
  const gunzip = createGunzip();
  gunzip.end(content);
  const decoder = new TextDecoder();
  let text = '';
  let all = 0;
  for await (const piece of gunzip as AsyncIterable<Buffer>) {
    text += decoder.decode(piece, { stream: true });
    all += piece.length;
    if (all > MAX_UNPACKED) throw new Error('the kept records of a file are too long');
    // the bracket of the array, or the comma before the next record
    let at = 1;
    for (RECORD.lastIndex = at; ; RECORD.lastIndex = at) {
      const [record] = RECORD.exec(text) ?? [];
      if (record === undefined) break;
      const [line, ...cells] = JSON.parse(record) as [number, ...string[]];
      yield { line, cells };
      at += record.length + 1;
    }
    text = text.slice(at - 1);
  }
}
