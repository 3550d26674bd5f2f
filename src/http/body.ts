import type { IncomingMessage } from 'node:http';
import { TextDecoder } from 'node:util';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientGoneError } from './client-gone.js';
import type { ErrorCode } from './error-codes.js';
import { measureJson } from './json-measure.js';
import { OWN_BODY } from './own-body.js';
import { problem } from './problem.js';

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+\s*(;|$)/;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** The limits of a body. */
export interface BodyLimits {
  readonly bytes: number;
  /** levels of nesting */
  readonly depth: number;
  /** keys of all objects in the body together */
  readonly keys: number;
  /** entries of all objects and arrays in the body together */
  readonly values: number;
  /** true: the body may be any JSON value and may have unknown fields; false: the body must be an object */
  readonly keepsUnknown: boolean;
  /** `code` of the 400 for a body that exceeds depth, keys or values */
  readonly code: ErrorCode;
}

/** The default limits (L6). */
const LIMITS: BodyLimits = {
  bytes: 65_536,
  depth: 16,
  keys: 200,
  values: 2_000,
  keepsUnknown: false,
  code: 'VALIDATION_FAILED',
};

/** The arguments of problem() for a body that is refused. */
type BodyProblem = [code: ErrorCode, message: string | string[]];
interface Body {
  /** the parsed JSON; undefined when there is no body or it could not be parsed. A refused body may have a value. */
  readonly value?: unknown;
  readonly problem?: BodyProblem;
}
type RequestWithBody = FastifyRequest & {
  bodyLimits?: BodyLimits;
  readBody?: Promise<Body>;
  /** set by {@link readBytes} */
  bytes?: Buffer | undefined;
};

/** Sets the limits for this request; must be called before its body is read. */
export function limitBody(request: FastifyRequest, limits: BodyLimits): void {
  (request as RequestWithBody).bodyLimits = limits;
}

/**
 * Leaves bodies unread. {@link BodyGuard} reads a body after the other guards: an unauthenticated caller gets a 401 for any body (W1)
 * and cannot fill the memory. Node discards an unread body.
 */
export function deferBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addHook('onRequest', ({ headers }: FastifyRequest, _reply, next) => {
    // Fastify refuses a malformed or empty media type before the guards run
    if (headers['content-type'] !== undefined && !MEDIA_TYPE.test(headers['content-type']))
      headers['content-type'] = 'unreadable/unknown';
    next();
  });
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Reads the body after the other guards, and answers 400, 413 or 415 for a refused body. It is the last global guard, not an
 * interceptor: an interceptor would add an Observable to every request.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RequestWithBody>();
    const mediaType = this.reflector.get<string | undefined>(OWN_BODY, context.getHandler());
    if (mediaType !== undefined) {
      refuseOtherMedia(request, http.getResponse<FastifyReply>(), mediaType);
      refuseInheritedNames(request.query);
      return true;
    }
    const value = await acceptedBody(request, http.getResponse<FastifyReply>());
    refuseInheritedNames(value);
    refuseInheritedNames(request.query);
    request.body = value;
    return true;
  }
}

/** For a route that reads its body itself. @throws 415 when the body is not of this media type, or is compressed */
function refuseOtherMedia(request: RequestWithBody, reply: FastifyReply, mediaType: string): void {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const refusal =
    type === mediaType ? compressed(request) : refused('UNSUPPORTED_MEDIA_TYPE', `send Content-Type: ${mediaType}`);
  if (!refusal?.problem) return;
  if (!request.raw.complete) reply.header('Connection', 'close');
  throw problem(...refusal.problem);
}

function compressed({ headers }: RequestWithBody): Body | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined;
  return refused('UNSUPPORTED_MEDIA_TYPE', 'send the body uncompressed, without Content-Encoding');
}

/**
 * Reads the JSON body.
 * @returns the parsed body; undefined when there is none
 * @throws 400, 413 or 415 when the body is refused; ClientGoneError
 */
export async function acceptedBody(request: RequestWithBody, reply: FastifyReply): Promise<unknown> {
  const { value, problem: refusal } = await readBody(request);
  if (!refusal) return value;
  // the rest of the body is still unread: the connection cannot be used again
  if (!request.raw.complete) reply.header('Connection', 'close');
  throw problem(...refusal);
}

/**
 * Reads, decodes and parses the body; a second call returns the same promise.
 * @throws ClientGoneError when the client closes the connection before all of it has arrived
 */
export function readBody(request: RequestWithBody): Promise<Body> {
  request.readBody ??= read(request, request.bodyLimits ?? LIMITS);
  return request.readBody;
}

/**
 * Reads the bytes of the body, of any media type, so that a signature can be verified before anything is said about them.
 * {@link acceptedBody} then judges and parses them.
 * @returns no bytes without a body; undefined when the body is longer than the limit
 * @throws ClientGoneError when the client closes the connection before all of it has arrived
 */
export async function readBytes(request: RequestWithBody, reply: FastifyReply): Promise<Buffer | undefined> {
  const { raw, headers, bodyLimits: { bytes: limit } = LIMITS } = request;
  if (Number(headers['content-length'] ?? 0) > limit) return undefined;
  request.bytes = await receive(raw, limit);
  // the rest of the body is still unread: the connection cannot be used again
  if (!request.bytes) reply.header('Connection', 'close');
  return request.bytes;
}

async function read(request: RequestWithBody, limits: BodyLimits): Promise<Body> {
  const { raw, headers, method, bytes: known } = request;
  const announcedBytes = Number(headers['content-length'] ?? 0);
  const hasBody = announcedBytes > 0 || headers['transfer-encoding'] !== undefined;
  if (!hasBody || method === 'GET' || method === 'HEAD') return {};
  const type = headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type)) return refused('UNSUPPORTED_MEDIA_TYPE', 'send Content-Type: application/json');
  const packed = compressed(request);
  if (packed) return packed;
  const charset = CHARSET.exec(type)?.[1];
  const decoder = charset === undefined ? UTF_8 : decoderOf(charset);
  if (!decoder) return refused('UNSUPPORTED_MEDIA_TYPE', 'the charset of Content-Type is unknown; send UTF-8');
  const bytes = known ?? (announcedBytes > limits.bytes ? undefined : await receive(raw, limits.bytes));
  return bytes
    ? parse(bytes, decoder, limits)
    : refused('PAYLOAD_TOO_LARGE', `body: must have at most ${limits.bytes} bytes`);
}

function parse(bytes: Buffer, decoder: TextDecoder, limits: BodyLimits): Body {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { problem: ['INVALID_JSON', `body: has bytes that are not ${decoder.encoding.toUpperCase()}`] };
  }
  // many clients send Content-Type: application/json without a body
  if (text === '') return {};
  const excess = excessOf(text, limits);
  if (excess?.unread) return { problem: [limits.code, [excess.message]] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: ['INVALID_JSON', 'body: is not valid JSON'] };
  }
  if (excess) return { value, problem: [limits.code, [excess.message]] };
  if (!limits.keepsUnknown && (typeof value !== 'object' || value === null || Array.isArray(value)))
    return { problem: [limits.code, ['body: must be a JSON object']] };
  return { value };
}

/** @returns the message of the first limit that the text exceeds; `unread`: the text is too large to be parsed */
function excessOf(text: string, limits: BodyLimits): { message: string; unread: boolean } | undefined {
  const { depth, keys, values } = measureJson(text);
  const unread = keys > limits.keys || values > limits.values;
  if (depth > limits.depth) return { message: `body: must not nest deeper than ${limits.depth} levels`, unread };
  if (keys > limits.keys) return { message: `body: must have at most ${limits.keys} keys`, unread };
  if (values > limits.values) return { message: `body: must have at most ${limits.values} values`, unread };
  return undefined;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** A decoder that drops a byte order mark and throws for invalid bytes; undefined for an unknown charset. */
function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

function refused(code: ErrorCode, message: string): Body {
  return { problem: [code, message] };
}

/** @returns the whole body; undefined when the body is longer than the limit: the rest then stays unread */
function receive(raw: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    if (raw.destroyed) return reject(new ClientGoneError());
    let chunks: Buffer[] = [];
    let size = 0;
    let isComplete = false;
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) return chunks.push(chunk);
      chunks = [];
      raw.pause();
      return resolve(undefined);
    });
    raw.once('end', () => {
      isComplete = true;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    // every request emits `close`: without this condition every request would create an error with a stack
    const leave = () => isComplete || reject(new ClientGoneError());
    raw.once('error', leave);
    raw.once('close', leave);
    return undefined;
  });
}

/**
 * Refuses fields with names of Object.prototype. class-transformer ignores such fields, so the validation would not refuse them as
 * unknown.
 */
function refuseInheritedNames(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const names = Object.keys(value).filter((name) => name in Object.prototype);
  if (names.length > 0)
    throw problem(
      'VALIDATION_FAILED',
      names.map((name) => `property ${name} should not exist`),
    );
}
