import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** The compressed forms, the best first. The build writes them beside a file, with these endings. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Bytes that all answers share. */
interface SharedBytes {
  readonly plain: Buffer;
  /** those of {@link ENCODINGS} that there are, the best first */
  readonly compressed: readonly { readonly encoding: string; readonly bytes: Buffer }[];
}

interface SharedFile extends SharedBytes {
  readonly etag: string;
}

/** A text that is written once: also its compressed form is kept. */
export function sharedText(text: string): SharedBytes {
  const plain = Buffer.from(text);
  return { plain, compressed: [{ encoding: 'gzip', bytes: gzipSync(plain) }] };
}

/** The bytes for this client: in the best encoding that it accepts. Sets the headers that say so. */
export function bytesFor({ plain, compressed }: SharedBytes, request: FastifyRequest, reply: FastifyReply): Buffer {
  reply.header('vary', 'Accept-Encoding');
  const accepted = acceptedEncodings(request.headers['accept-encoding']);
  const chosen = compressed.find(({ encoding }) => accepted.has(encoding));
  if (chosen) reply.header('content-encoding', chosen.encoding);
  return chosen?.bytes ?? plain;
}

/**
 * Files of a folder, in memory: all answers share their bytes (H22). An answer from an open file would keep a descriptor and two pieces of the file
 * for as long as its client likes. A file is read when it is first asked for.
 */
export class SharedFiles {
  private readonly known = new Map<string, SharedFile>();

  constructor(private readonly folder: string) {}

  /**
   * Answers with a file: 200, or 304 when the client has it.
   * @param name its path in the folder, which the caller has checked
   * @param headers of these answers
   * @returns undefined: there is no such file
   */
  send(
    name: string,
    request: FastifyRequest,
    reply: FastifyReply,
    headers: Readonly<Record<string, string>>,
  ): FastifyReply | undefined {
    const file = this.find(name);
    if (!file) return undefined;
    reply.headers({ ...headers, etag: file.etag, vary: 'Accept-Encoding' });
    if (request.headers['if-none-match']?.includes(file.etag)) return reply.status(HttpStatus.NOT_MODIFIED).send();
    const bytes = bytesFor(file, request, reply);
    return reply.header('content-type', TYPES[extname(name)] ?? 'application/octet-stream').send(bytes);
  }

  private find(name: string): SharedFile | undefined {
    const known = this.known.get(name);
    if (known) return known;
    const plain = this.read(name);
    if (!plain) return undefined;
    const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
    const compressed = ENCODINGS.flatMap(([encoding, ending]) => {
      const bytes = this.read(name + ending);
      return bytes ? [{ encoding, bytes }] : [];
    });
    const file = { etag, plain, compressed };
    this.known.set(name, file);
    return file;
  }

  private read(name: string): Buffer | undefined {
    try {
      return readFileSync(join(this.folder, name));
    } catch {
      return undefined;
    }
  }
}

/** The encodings that `Accept-Encoding` names with another quality than 0. */
function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const named = String(header ?? '')
    .toLowerCase()
    .split(',');
  return new Set(
    named.filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each)).map((each) => (each.split(';')[0] as string).trim()),
  );
}
