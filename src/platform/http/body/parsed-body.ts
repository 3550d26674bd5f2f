import { TextDecoder } from 'node:util';
import type { ErrorCode } from '../error-codes.js';
import { measureJson } from './json-measure.js';

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

/** The arguments of problem() for a body that is refused. */
type BodyProblem = [code: ErrorCode, message: string | string[]];
/** A body that was read. */
export interface Body {
  /** the parsed JSON; undefined when there is no body or it could not be parsed. A refused body may have a value. */
  readonly value?: unknown;
  readonly problem?: BodyProblem;
}
/** Parses the bytes of a body. */
export function parseBody(bytes: Buffer, decoder: TextDecoder, limits: BodyLimits): Body {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { problem: ['INVALID_JSON', `body: has bytes that are not ${decoder.encoding.toUpperCase()}`] };
  }
  // many clients send Content-Type: application/json without a body
  if (text === '') return {};
  const excess = excessOf(text, bytes.length, limits);
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
function excessOf(text: string, bytes: number, limits: BodyLimits): { message: string; unread: boolean } | undefined {
  const { depth, keys, values, exponents } = measureJson(text);
  const isLong = exponents > 0 && bytes + exponents > limits.bytes;
  const unread = keys > limits.keys || values > limits.values || isLong;
  if (depth > limits.depth) return { message: `body: must not nest deeper than ${limits.depth} levels`, unread };
  if (keys > limits.keys) return { message: `body: must have at most ${limits.keys} keys`, unread };
  if (values > limits.values) return { message: `body: must have at most ${limits.values} values`, unread };
  // the database writes numbers out: 300 KB of `1e308` are 15 MB for everybody who reads them
  if (isLong)
    return { message: `body: must have at most ${limits.bytes} bytes when its numbers are written out`, unread };
  return undefined;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A decoder that drops a byte order mark and throws for invalid bytes; undefined for an unknown charset.
 * @param charset undefined: UTF-8
 */
export function decoderOf(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined) return UTF_8;
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

/** A body that is refused, and why. */
export function refused(code: ErrorCode, message: string): Body {
  return { problem: [code, message] };
}
