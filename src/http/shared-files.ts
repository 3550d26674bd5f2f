import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};
/** The compressed forms, the best first. The build writes them beside a file. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

interface SharedFile {
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
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
    const accepted = acceptedEncodings(request.headers['accept-encoding']);
    const encoding = (['br', 'gzip'] as const).find((each) => file[each] && accepted.has(each));
    if (encoding) reply.header('content-encoding', encoding);
    return reply
      .header('content-type', TYPES[extname(name)] ?? 'application/octet-stream')
      .send(encoding ? file[encoding] : file.plain);
  }

  private find(name: string): SharedFile | undefined {
    const known = this.known.get(name);
    if (known) return known;
    const plain = this.read(name);
    if (!plain) return undefined;
    const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
    const file = { etag, plain, br: this.read(name + ENCODINGS.br), gzip: this.read(name + ENCODINGS.gzip) };
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
