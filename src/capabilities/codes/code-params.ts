import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { CODE_KINDS, CODE_LENGTH, type CodeKind } from '../../domain/pos-codes.js';
import { storableText } from '../../domain/text.js';
import { problem } from '../../platform/http/problem.js';

type CodeRequest = FastifyRequest<{
  Params: { kind: string; terminalCode: string };
  Querystring: { code?: unknown };
}>;

/** A code in a path. */
export interface CodeOfPath {
  readonly kind: CodeKind;
  readonly terminalCode: string;
}

const TERMINAL_CODE = `must be a code of the terminal: 1 to ${CODE_LENGTH} characters`;

/** Whether an item or tender of a stored sale can have this code. */
function isTerminalCode(code: unknown): boolean {
  return typeof code === 'string' && code !== '' && code.length <= CODE_LENGTH && storableText(code) === code;
}

/** Validates a field as the code that a terminal sends. It is not trimmed: it is compared as it is. */
export const IsTerminalCode = () =>
  ValidateBy({
    name: 'isTerminalCode',
    validator: { validate: isTerminalCode, defaultMessage: () => `$property ${TERMINAL_CODE}` },
  });

/**
 * Parameter decorator: kind and code of the terminal. `code` in the query takes precedence over the path.
 * @throws 400 VALIDATION_FAILED
 */
export const CodeInPath = createParamDecorator((_: unknown, context: ExecutionContext): CodeOfPath => {
  const { params, query } = context.switchToHttp().getRequest<CodeRequest>();
  const kind = CODE_KINDS.find((known) => known === params.kind);
  const terminalCode = query.code ?? params.terminalCode;
  const wrong = [
    ...(kind ? [] : [`kind must be one of: ${CODE_KINDS.join(', ')}`]),
    ...(isTerminalCode(terminalCode) ? [] : [`terminalCode ${TERMINAL_CODE}`]),
  ];
  if (kind && wrong.length === 0) return { kind, terminalCode: terminalCode as string };
  throw problem('VALIDATION_FAILED', wrong);
});

/** Documents the parameters that {@link CodeInPath} reads. */
export const ApiCodeInPath = () =>
  applyDecorators(
    ApiParam({ name: 'kind', enum: CODE_KINDS, enumName: 'CodeKind' }),
    ApiParam({
      name: 'terminalCode',
      type: String,
      description:
        'as the terminal sends it, percent-encoded: the `itemCode` of an item; of a tender `tenderType`, or with its brand `tenderType|brand`',
    }),
    ApiQuery({
      name: 'code',
      required: false,
      type: String,
      description:
        'the code, in place of the one in the path, for codes that no path can carry: /codes/ITEM/code?code=..',
    }),
  );
