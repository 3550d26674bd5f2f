import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_WARNINGS } from '../../domain/warnings.js';
import { CODES, codeOf, type ErrorCode, statusOf } from './error-codes.js';
import { OneOf } from './fields/fields.js';

/** The body of every error answer (H1). */
export class ErrorView {
  @ApiProperty({ type: 'integer', example: 400 }) readonly statusCode: number;
  @ApiProperty({ example: 'Bad Request', description: 'reason phrase of the status' }) readonly error: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'array', maxItems: 1_000, items: { type: 'string' } }],
    example: ['transactionKey: is required'],
    description: 'one text, or a list of field errors',
  })
  readonly message: string | readonly string[];

  @OneOf(CODES, 'ErrorCode', 'a stable code for programs')
  readonly code: ErrorCode;

  @ApiProperty({ description: 'the same as in the X-Request-Id header and in the log' }) readonly requestId: string;

  @ApiPropertyOptional({ description: 'of Open Delivery, on its routes only: what is wrong' })
  readonly title?: string;

  @ApiPropertyOptional({ type: 'integer', description: 'of Open Delivery, on its routes only: as statusCode' })
  readonly status?: number;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'DUPLICATE_TRANSACTION, TRANSACTION_KEY_REUSED: the job of the stored transaction',
  })
  readonly jobId?: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_WARNINGS,
    description: 'DUPLICATE_TRANSACTION: the warnings of the answer that accepted it; absent when there were none',
  })
  readonly warnings?: readonly string[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'FEW_SALES_FOUND: `sales`, `missing` and `missingCents`, as in `claim` of a preview',
  })
  readonly figures?: Readonly<Record<string, number>>;
}

/** The variable part of an error body; `code` defaults to the general code of the status. */
export interface ErrorContent {
  readonly statusCode: number;
  readonly message: string | readonly string[];
  readonly code?: ErrorCode | undefined;
  readonly jobId?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly figures?: Readonly<Record<string, number>> | undefined;
}

/** The most field errors in an answer, and the most characters of each error: an error may quote names that the caller chose. */
const MAX_MESSAGES = 20;
const MAX_MESSAGE_LENGTH = 500;

/** Builds the body of an error answer. A long message is cut; a long list is cut and ends in "and N more". */
export function errorBody(
  { statusCode, message, code = codeOf(statusCode), jobId, warnings = [], figures }: ErrorContent,
  requestId: string,
): ErrorView {
  const shown = typeof message === 'string' ? cut(message) : cutList(message);
  return {
    statusCode,
    error: STATUS_CODES[statusCode] ?? 'Error',
    message: shown,
    code,
    requestId,
    ...(jobId && { jobId }),
    ...(warnings.length > 0 && { warnings }),
    ...(figures && { figures }),
  };
}

function cutList(messages: readonly string[]): string[] {
  const shown = messages.slice(0, MAX_MESSAGES).map(cut);
  return messages.length > MAX_MESSAGES ? [...shown, `and ${messages.length - MAX_MESSAGES} more`] : shown;
}

function cut(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…` : text;
}

/**
 * Creates the exception for an expected error. The caller throws the exception; the error filter answers with it (H1).
 * @param code it has its status in error-codes.ts, of http or of its module
 * @param message a text for people, or a list of field errors
 * @param retryAfterSeconds value of the Retry-After header; absent: the answer has no such header
 */
export function problem(
  code: ErrorCode,
  message: string | readonly string[],
  retryAfterSeconds?: number,
): HttpException {
  return new HttpException({ code, message, retryAfterSeconds }, statusOf(code));
}

/**
 * As {@link problem}, about a sale that is stored (W20, W45).
 * @param jobId undefined: the body has no job id
 * @param warnings of the answer that accepted it
 */
export function problemOfJob(
  code: ErrorCode,
  message: string,
  jobId: string | undefined,
  warnings: readonly string[] = [],
): HttpException {
  return new HttpException({ code, message, jobId, warnings }, statusOf(code));
}

/** As {@link problem}, with the numbers that its message names, for programs. */
export function problemWithFigures(
  code: ErrorCode,
  message: string,
  figures: Readonly<Record<string, number>>,
): HttpException {
  return new HttpException({ code, message, figures }, statusOf(code));
}

/**
 * The same exception, with fields for its line in the log (`http.refused`), which are in no answer. It makes no stack, so that a shared exception
 * stays cheap (decisions/064).
 */
export function withLogFields(
  error: HttpException,
  fields: Readonly<Record<string, string | null>>,
): HttpException & { readonly logFields: typeof fields } {
  return Object.create(error, { logFields: { value: fields } });
}

/** The fields of {@link withLogFields}; undefined of any other error. */
export function logFieldsOf(error: unknown): object | undefined {
  return error instanceof HttpException ? (error as { logFields?: object }).logFields : undefined;
}
