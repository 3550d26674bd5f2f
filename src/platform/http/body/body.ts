import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from '../client-gone.js';
import { problem } from '../problem.js';
import { BodyBudget, type Proof, tooManyBodies } from './body-budget.js';
import { discardBody } from './discard-body.js';
import { OWN_BODY } from './own-body.js';
import { type Body, type BodyLimits, decoderOf, parseBody, refused } from './parsed-body.js';
import { receiveBytes } from './received-bytes.js';

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+\s*(;|$)/;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** The default limits (L6). */
const LIMITS: BodyLimits = {
  bytes: 65_536,
  depth: 16,
  keys: 200,
  values: 2_000,
  keepsUnknown: false,
  code: 'VALIDATION_FAILED',
};

type RequestWithBody = FastifyRequest & {
  bodyLimits?: BodyLimits;
  /** set by {@link proveSender} */
  isOfProvenSender?: boolean;
  /** set by the guard of JWTs */
  user?: unknown;
  /** set by {@link readBytes} and {@link peekBody} */
  bytes?: Buffer | undefined;
};

/** Sets the limits for this request; must be called before its body is read. */
export function limitBody(request: FastifyRequest, limits: BodyLimits): void {
  (request as RequestWithBody).bodyLimits = limits;
}

/**
 * Says that the sender is authenticated: its body counts so (W43), and its connection is not closed for those of strangers (H24).
 * @param sender by which its connections are counted: the founder (O44), or an account or a restaurant without one; undefined: the platform
 */
export function proveSender(request: FastifyRequest, sender: string | undefined): void {
  (request as RequestWithBody).isOfProvenSender = true;
  request.server.connections.prove(request.raw.socket, sender);
}

/** Whether the sender of a request is authenticated; false before that is known. */
export function isOfKnownSender(request: FastifyRequest): boolean {
  const { isOfProvenSender, user } = request as RequestWithBody;
  return isOfProvenSender === true || user !== undefined;
}

function proofOf(request: RequestWithBody): Proof {
  return isOfKnownSender(request) ? 'proven' : 'unproven';
}

/**
 * Leaves bodies unread. {@link BodyGuard} reads a body after the other guards: an unauthenticated caller gets a 401 for any body (W1)
 * and cannot fill the memory. Node discards an unread body.
 */
export function deferBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const budget: BodyBudget = app.get(BodyBudget);
  fastify.decorate('bodyBudget', budget);
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
      if (mediaType !== '') refuseOtherMedia(request, mediaType);
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
function refuseOtherMedia(request: RequestWithBody, mediaType: string): void {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const refusal =
    type === mediaType ? compressed(request) : refused('UNSUPPORTED_MEDIA_TYPE', `send Content-Type: ${mediaType}`);
  if (!refusal?.problem) return;
  discardRest(request.raw);
  throw problem(...refusal.problem);
}

function compressed({ headers }: RequestWithBody): Body | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined;
  return refused('UNSUPPORTED_MEDIA_TYPE', 'send the body uncompressed, without Content-Encoding');
}

/**
 * What a body of this size waits for before it is parsed; undefined: nothing.
 * @param left of the wait: aborts when the client has gone, or the body must give way to others
 */
export type TurnOf = (bytes: number) => ((left: () => AbortSignal) => Promise<void>) | undefined;

/**
 * Reads the JSON body.
 * @param turnOf a body that waits counts meanwhile, and gives way to other bodies (W43)
 * @returns the parsed body; undefined when there is none
 * @throws 400, 413 or 415 when the body is refused; 503 TOO_MANY_BODIES (W43); ClientGoneError; what the turn throws
 */
export async function acceptedBody(request: RequestWithBody, reply: FastifyReply, turnOf?: TurnOf): Promise<unknown> {
  const beforeParsing = async (bytes: Buffer) => {
    const turn = turnOf?.(bytes.length);
    if (turn) await countedMeanwhile(request, bytes, (left) => turn(() => AbortSignal.any([left, clientGone(reply)])));
  };
  const { value, problem: refusal } = await read(request, request.bodyLimits ?? LIMITS, { beforeParsing });
  if (!refusal) return value;
  discardRest(request.raw);
  throw problem(...refusal);
}

/** Discards the body of a refused request if nothing was read of it; what is refused while it arrives is being discarded already. */
function discardRest(raw: FastifyRequest['raw']): void {
  if (!raw.complete && raw.readableFlowing === null) discardBody(raw);
}

/**
 * Reads the body of a sender who is not authenticated, and parses it. Its bytes are kept for {@link acceptedBody}, and not what was parsed
 * of them, which may be twenty times as large; {@link forgetBody} drops them.
 * @param bytes the most bytes (W44)
 * @returns undefined when there is no such JSON
 * @throws 503 TOO_MANY_BODIES (W43); ClientGoneError
 */
export async function peekBody(request: RequestWithBody, bytes: number): Promise<unknown> {
  const { value } = await read(request, { ...(request.bodyLimits ?? LIMITS), bytes }, { keeps: true });
  return value;
}

/** Drops the bytes of a body: its sender was refused, and the answer may wait (V16). */
export function forgetBody(request: RequestWithBody): void {
  request.bytes = undefined;
}

/**
 * Reads the bytes of the body, of any media type, so that a signature can be verified before anything is said about them.
 * {@link acceptedBody} then judges and parses them.
 * @returns no bytes without a body; undefined when the body is longer than the limit
 * @throws 503 TOO_MANY_BODIES (W43); ClientGoneError when the client closes the connection before all of it has arrived
 */
export async function readBytes(request: RequestWithBody, reply: FastifyReply): Promise<Buffer | undefined> {
  request.bytes = await receive(request, request.bodyLimits ?? LIMITS);
  // a part of it was read: the connection cannot be used again
  if (!request.bytes && request.raw.readableFlowing !== null) reply.header('Connection', 'close');
  return request.bytes;
}

async function receive(request: RequestWithBody, { bytes: limit }: BodyLimits): Promise<Buffer | undefined> {
  const received = await receiveBytes(request, { proof: proofOf(request), limit });
  // what is parsed of it is checked at once and then small, or waits within the bounds of the sales (L19)
  received?.held.end();
  return received?.bytes;
}

/**
 * Counts the bytes of a body while `wait` lasts; they give way to other bodies (W43).
 * @param wait ends with an error when its signal aborts
 * @throws 503 TOO_MANY_BODIES; the error of `wait`
 */
async function countedMeanwhile(
  request: RequestWithBody,
  bytes: Buffer,
  wait: (left: AbortSignal) => Promise<void>,
): Promise<void> {
  const left = new AbortController();
  let gaveWay = false;
  const held = request.server.bodyBudget.open(proofOf(request), () => {
    gaveWay = true;
    left.abort();
  });
  try {
    if (!held.resize(bytes.length)) throw tooManyBodies();
    await wait(left.signal);
  } catch (error) {
    throw gaveWay ? tooManyBodies() : error;
  } finally {
    held.end();
  }
}

/**
 * Reads, decodes and parses the body.
 * @param how `keeps`: its bytes are kept for another reading; `beforeParsing`: what its bytes wait for
 */
async function read(
  request: RequestWithBody,
  limits: BodyLimits,
  {
    keeps = false,
    beforeParsing,
  }: { readonly keeps?: boolean; readonly beforeParsing?: (bytes: Buffer) => Promise<void> },
): Promise<Body> {
  const { headers, method, bytes: known } = request;
  const announcedBytes = Number(headers['content-length'] ?? 0);
  const hasBody = announcedBytes > 0 || headers['transfer-encoding'] !== undefined;
  if (!hasBody || method === 'GET' || method === 'HEAD') return {};
  const type = headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type)) return refused('UNSUPPORTED_MEDIA_TYPE', 'send Content-Type: application/json');
  const packed = compressed(request);
  if (packed) return packed;
  const charset = CHARSET.exec(type)?.[1];
  const decoder = decoderOf(charset);
  if (!decoder) return refused('UNSUPPORTED_MEDIA_TYPE', 'the charset of Content-Type is unknown; send UTF-8');
  const bytes = known ?? (await receive(request, limits));
  request.bytes = keeps ? bytes : undefined;
  if (bytes) await beforeParsing?.(bytes);
  return bytes
    ? parseBody(bytes, decoder, limits)
    : refused('PAYLOAD_TOO_LARGE', `body: must have at most ${limits.bytes} bytes`);
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
