import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotWrittenError } from '../database/batch/row-queue.js';
import {
  isDatabaseAway,
  isMissingRecord,
  isUnknownTimeZone,
  isUnstorableText,
  uniqueViolation,
} from '../database/errors.js';
import { maskTokens } from '../redaction/masked-tokens.js';
import { Log } from '../telemetry/log.js';
import { ClientGoneError } from './client-gone.js';
import { isBeyondBound } from './error-codes.js';
import { RefusalLines } from './limits/refusal-lines.js';
import { isRefusalOfUnknown } from './limits/refusals.js';
import { Shares } from './limits/shares.js';
import { type ErrorContent, type ErrorView, errorBody, logFieldsOf } from './problem.js';

const INTERNAL: ErrorContent = {
  statusCode: 500,
  code: 'INTERNAL',
  message: 'internal error; the log has it under this requestId',
};
const UNAVAILABLE = { statusCode: 503, code: 'DATABASE_UNAVAILABLE' } as const;
/**
 * The message for a GET, which stores nothing. Other requests get NOT_KNOWN: a write may have been committed although its answer was
 * lost.
 */
const NOT_READ = 'the database does not answer; try again';
/** The message when rows were not written because of backpressure (W30, W31). */
const NOT_STORED = 'the database is busy: this was not stored; send it again';
const RETRY_AFTER_SECONDS = 2;
const NOT_KNOWN = 'the database does not answer: it is not known whether this was stored; send it again';

/** Answers every thrown error in the same shape (H1, H2, H3). Internal details are logged and are in no answer (H4). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly log: Log,
    private readonly lines: RefusalLines,
    private readonly shares: Shares,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (error instanceof ClientGoneError || (error instanceof NotWrittenError && reply.raw.destroyed)) {
      this.log.debug({ event: 'http.client_gone', requestId: request.id, path: request.routeOptions?.url });
      // no answer ends its slots
      this.shares.end(request);
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    const { retryAfterSeconds, ...content } = contentOf(error, request.method === 'GET');
    const body = errorBody({ ...content, message: withoutTokens(content.message) }, request.id);
    const { statusCode, code, message } = body;
    request.errorCode = code;
    const line = { requestId: request.id, method: request.method, path: request.routeOptions?.url, statusCode, code };
    const isOfMany = isBeyondBound(code) || isRefusalOfUnknown(request, statusCode);
    if (statusCode >= 500 && !isOfMany) this.log.error({ event: 'http.failed', ...line, error: stackOf(error) });
    else if (!isOfMany || this.lines.mayLog(statusCode))
      this.log.info({ event: 'http.refused', ...line, message, ...logFieldsOf(error) });
    if (retryAfterSeconds) reply.header('Retry-After', retryAfterSeconds);
    if (statusCode === 401) reply.header('WWW-Authenticate', 'Bearer');
    reply.status(statusCode).send(this.shaped(body));
  }

  /** The answer; routes of a standard add the fields that it asks for. */
  protected shaped(body: ErrorView): ErrorView {
    return body;
  }
}

function contentOf(error: unknown, reads: boolean): ErrorContent & { readonly retryAfterSeconds?: number } {
  if (error instanceof HttpException) return fromHttpException(error);
  const unique = uniqueViolation(error);
  if (unique) return { statusCode: 409, code: 'CONFLICT', message: `${fieldOf(unique.constraint)} is already taken` };
  if (isMissingRecord(error)) return { statusCode: 404, message: 'not found' };
  if (isUnstorableText(error)) return { statusCode: 400, message: 'text must not contain NUL characters' };
  if (isUnknownTimeZone(error)) return { statusCode: 400, message: 'timezone: the database does not know it' };
  if (error instanceof NotWrittenError)
    return { ...UNAVAILABLE, message: NOT_STORED, retryAfterSeconds: RETRY_AFTER_SECONDS };
  if (isDatabaseAway(error)) return { ...UNAVAILABLE, message: reads ? NOT_READ : NOT_KNOWN };
  return fromFastify(error) ?? INTERNAL;
}

/** What a caller has sent may be quoted, such as the address of a path without a route: neither answer nor log shows its tokens (H10). */
function withoutTokens(message: ErrorContent['message']): ErrorContent['message'] {
  return typeof message === 'string' ? maskTokens(message) : message.map(maskTokens);
}

/** The content of an exception that problem() or Nest created. A list of messages without a code comes from the validation of fields. */
function fromHttpException(error: HttpException): ErrorContent & { readonly retryAfterSeconds?: number } {
  const body = error.getResponse();
  const { code, message, jobId, warnings, figures, retryAfterSeconds } = (
    typeof body === 'string' ? { message: body } : body
  ) as Partial<ErrorContent> & { retryAfterSeconds?: number };
  return {
    statusCode: error.getStatus(),
    code: code ?? (Array.isArray(message) ? 'VALIDATION_FAILED' : undefined),
    message: message ?? error.message,
    jobId,
    warnings,
    figures,
    retryAfterSeconds,
  };
}

/** The content of a 4xx error of Fastify; undefined for any other error. */
function fromFastify(error: unknown): ErrorContent | undefined {
  const { statusCode, message } = error as { statusCode?: unknown; message?: unknown };
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  return { statusCode, message: String(message) };
}

/** Unique constraints in the database -> fields of the API. */
const FIELDS: Readonly<Record<string, string>> = {
  restaurants_slug_key: 'slug',
  restaurants_code_store_terminal_key: 'codeStoreTerminal',
  users_email_key: 'email',
  user_restaurants_user_id_restaurant_id_key: 'userId',
};

function fieldOf(constraint: string): string {
  return FIELDS[constraint] ?? 'the value';
}

function stackOf(error: unknown): string {
  if (error instanceof NotWrittenError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
