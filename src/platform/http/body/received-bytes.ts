import type { FastifyRequest } from 'fastify';
import { ClientGoneError } from '../client-gone.js';
import { type BodyBudget, type HeldBody, type Proof, tooManyBodies } from './body-budget.js';
import { discardBody } from './discard-body.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** of all bodies that this server receives */
    bodyBudget: BodyBudget;
  }
}

/** The least memory of a body that does not arrive in one piece; bytes. */
const FIRST_STEP = 4_096;

/** How a body is received. */
interface Arrival {
  readonly proof: Proof;
  /** the most bytes */
  readonly limit: number;
  /** Looks at each piece. @returns why the body is refused, which ends the receiving */
  readonly look?: (piece: Buffer) => Error | undefined;
  /** is called when the body has arrived, still counts, and has to give way; without it, a body that has arrived stays */
  readonly giveWay?: () => void;
}

/** The bytes of a body. They count until `held` is ended. */
export interface ReceivedBytes {
  readonly bytes: Buffer;
  readonly held: HeldBody;
}

/**
 * Receives a body (W43). Its memory grows with what has arrived, at most to twice of it, whatever length is announced: pieces are copied,
 * since a piece of one byte would cost hundreds.
 * @returns undefined when the body is longer than the limit; one that announces it is not read. Of a body that is refused nothing is kept, and the rest is discarded.
 * @throws 503 TOO_MANY_BODIES, or what `look` returns; ClientGoneError
 */
export function receiveBytes(
  request: FastifyRequest,
  { proof, limit, look, giveWay }: Arrival,
): Promise<ReceivedBytes | undefined> {
  const { raw, headers, server } = request;
  const announced = Number(headers['content-length'] ?? limit);
  if (announced > limit) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    if (raw.destroyed) return reject(new ClientGoneError());
    let blocks: Buffer[] = [];
    /** of the last block */
    let used = 0;
    let size = 0;
    let isOver = false;
    const leave = () => {
      isOver = true;
      held.end();
      blocks = [];
      raw.off('data', take);
    };
    const refuse = (error: Error) => {
      leave();
      discardBody(raw);
      reject(error);
    };
    const held = server.bodyBudget.open(proof, () => (isOver ? giveWay?.() : refuse(tooManyBodies())));
    const take = (piece: Buffer) => {
      const end = size + piece.length;
      if (end > limit) {
        leave();
        discardBody(raw);
        return resolve(undefined);
      }
      const refusal = look?.(piece);
      if (refusal) return refuse(refusal);
      // it leaves at once: it has room beside any number of bodies that do not
      if (end === announced && !giveWay) held.settle();
      if (end === announced && size === 0) {
        if (!held.resize(end)) return refuse(tooManyBodies());
        blocks.push(piece);
        used = end;
      } else if (!append(piece)) return refuse(tooManyBodies());
      size = end;
    };
    /** Copies a piece to the end. A new block is as large as all before it. @returns false: there is no room for it */
    const append = (piece: Buffer): boolean => {
      const last = blocks.at(-1);
      const fitting = last ? piece.copy(last, used) : 0;
      used += fitting;
      const rest = piece.length - fitting;
      if (rest === 0) return true;
      const kept = size + fitting;
      const length = Math.min(Math.max(rest, kept, FIRST_STEP), announced - kept);
      if (!held.resize(kept + length)) return false;
      const block = Buffer.allocUnsafeSlow(length);
      piece.copy(block, 0, fitting);
      blocks.push(block);
      used = rest;
      return true;
    };
    // a body that finds no room is refused before it is read
    if (!held.resize(1)) return refuse(tooManyBodies());
    raw.on('data', take);
    raw.once('end', () => {
      if (isOver) return;
      isOver = true;
      if (!giveWay) held.settle();
      const bytes = blocks.length === 1 ? (blocks[0] as Buffer).subarray(0, size) : Buffer.concat(blocks, size);
      blocks = [];
      resolve({ bytes, held });
    });
    // every request emits `close`: without this condition every request would create an error with a stack
    const gone = () => {
      if (isOver) return;
      leave();
      reject(new ClientGoneError());
    };
    raw.once('error', gone);
    raw.once('close', gone);
    return undefined;
  });
}
