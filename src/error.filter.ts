import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway, isMissingRecord, isUnstorableText, uniqueViolation } from './database/errors.js';
import { Log } from './log.js';

/** The body of every error answer (DECISIONS 6). */
export interface ErrorBody {
  readonly statusCode: number;
  /** the status in words */
  readonly error: string;
  /** one text, or a list of field errors */
  readonly message: string | readonly string[];
  /** a stable upper-case word */
  readonly code: string;
  readonly requestId: string;
}

type Refusal = Pick<ErrorBody, 'statusCode' | 'message' | 'code'> & { readonly retryAfterSeconds?: number };

const INTERNAL: Refusal = {
  statusCode: 500,
  code: 'INTERNAL',
  message: 'internal error; the log has it under this requestId',
};
const UNAVAILABLE: Refusal = {
  statusCode: 503,
  code: 'DATABASE_UNAVAILABLE',
  message: 'the database does not answer; nothing was stored, send it again',
};

/** Turns whatever was thrown into the one error shape. Internals go to the log, never into an answer. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { retryAfterSeconds, ...refusal } = refusalOf(error);
    const { statusCode, code } = refusal;
    const line = { requestId: request.id, method: request.method, path: request.routeOptions?.url, statusCode, code };
    if (statusCode >= 500) this.log.error({ event: 'http.failed', ...line, error: describe(error) });
    else this.log.info({ event: 'http.refused', ...line, message: refusal.message });
    if (retryAfterSeconds) reply.header('Retry-After', retryAfterSeconds);
    if (statusCode === 401) reply.header('WWW-Authenticate', 'Bearer');
    const body: ErrorBody = { ...refusal, error: STATUS_CODES[statusCode] ?? 'Error', requestId: request.id };
    reply.status(statusCode).send(body);
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof HttpException) return fromHttpException(error);
  const unique = uniqueViolation(error);
  if (unique) return { statusCode: 409, code: 'CONFLICT', message: `${fieldOf(unique.constraint)} is already taken` };
  if (isMissingRecord(error)) return { statusCode: 404, code: 'NOT_FOUND', message: 'not found' };
  if (isUnstorableText(error))
    return { statusCode: 400, code: 'BAD_REQUEST', message: 'text must not contain NUL characters' };
  if (isDatabaseAway(error)) return UNAVAILABLE;
  return fromFastify(error) ?? INTERNAL;
}

function fromHttpException(error: HttpException): Refusal {
  const statusCode = error.getStatus();
  const body = error.getResponse();
  const { code, message, retryAfterSeconds } = (
    typeof body === 'string' ? { message: body } : body
  ) as Partial<Refusal>;
  const fallback = Array.isArray(message) ? 'VALIDATION_FAILED' : codeOf(statusCode);
  return { statusCode, code: code ?? fallback, message: message ?? error.message, retryAfterSeconds };
}

/** What Fastify itself refuses before a route is reached: bodies too large, unknown media types. */
function fromFastify(error: unknown): Refusal | undefined {
  const { statusCode, message } = error as { statusCode?: unknown; message?: unknown };
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  return { statusCode, code: codeOf(statusCode), message: String(message) };
}

function codeOf(statusCode: number): string {
  if (statusCode === 401) return 'UNAUTHENTICATED';
  return (STATUS_CODES[statusCode] ?? 'error').toUpperCase().replaceAll(/[^A-Z]+/g, '_');
}

const FIELDS: Readonly<Record<string, string>> = {
  restaurants_slug_key: 'slug',
  restaurants_code_store_terminal_key: 'codeStoreTerminal',
  users_email_key: 'email',
  user_restaurants_user_id_restaurant_id_key: 'userId',
};

function fieldOf(constraint: string): string {
  return FIELDS[constraint] ?? 'the value';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
