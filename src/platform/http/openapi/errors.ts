import { applyDecorators } from '@nestjs/common';
import { ApiExtension, type OpenAPIObject } from '@nestjs/swagger';
import { CODES, type ErrorCode, meaningOf, statusOf } from '../error-codes.js';
import { errorBody } from '../problem.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Prefix of the extensions that {@link Refuses} adds, such as `x-refuses-NOT_FOUND`; addErrors removes them. */
const OWN_CODE = 'x-refuses-';
const EXAMPLE_ID = '3f0a6a54-8c6e-4c39-9a51-0c5c0f1f7a11';

/** Documents codes of a route that addErrors does not derive from the shape of the route (H15). It does not change any answer. */
export const Refuses = (...codes: ErrorCode[]) =>
  applyDecorators(...Object.keys(refusals(...codes)).map((key) => ApiExtension(key, true)));

/** As {@link Refuses}, for an operation without a controller: spread the result into the operation. */
export function refusals(...codes: ErrorCode[]): Record<string, true> {
  return Object.fromEntries(codes.map((code) => [`${OWN_CODE}${code}`, true]));
}

/**
 * Adds the codes to the error responses of an operation (H15). They are the codes of {@link Refuses}, the codes that the descriptions
 * of the responses name, and the codes that follow from method, path and parameters.
 */
export function addErrors(operation: Operation, path: string, method: Method): void {
  const { responses } = operation;
  const own = takeOwnCodes(operation as unknown as Record<string, unknown>);
  const written = Object.values(responses).flatMap((response) =>
    response && !('$ref' in response) ? codesIn(response.description) : [],
  );
  const codes = new Set<ErrorCode>([...own, ...written, ...codesOfShape(operation, path, method)]);
  // INVALID_TRANSACTION replaces VALIDATION_FAILED at the webhook
  if ([...codes].some((code) => code === 'INVALID_TRANSACTION')) codes.delete('VALIDATION_FAILED');
  const statuses = [...Object.keys(responses), ...[...codes].map((code) => String(statusOf(code)))];
  for (const status of new Set(statuses.filter((each) => Number(each) >= 400))) {
    responses[status] ??= { description: '' };
    const response = responses[status];
    if ('$ref' in response || response.content) continue;
    const mayCarry = [...codes].filter((code) => statusOf(code) === Number(status));
    response.content = contentOf(mayCarry, response.description);
    const unsaid = mayCarry.filter((code) => !codesIn(response.description).includes(code));
    response.description = [
      ...(response.description ? [response.description] : []),
      ...unsaid.map((code) => `${code}: ${meaningOf(code)[1]}`),
    ].join('; ');
  }
}

function takeOwnCodes(operation: Record<string, unknown>): ErrorCode[] {
  const own = CODES.filter((code) => `${OWN_CODE}${code}` in operation);
  for (const code of own) delete operation[`${OWN_CODE}${code}`];
  return own;
}

function codesOfShape(operation: Operation, path: string, method: Method): ErrorCode[] {
  // the body of every request is read, except of a GET
  const withBody: ErrorCode[] = ['REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'TOO_MANY_BODIES'];
  const { requestBody } = operation;
  const isJson = !requestBody || '$ref' in requestBody || 'application/json' in requestBody.content;
  const hasId = operation.parameters?.some(
    (parameter) => 'in' in parameter && parameter.in === 'path' && JSON.stringify(parameter.schema).includes('"uuid"'),
  );
  return [
    'VALIDATION_FAILED',
    ...(method === 'get' ? [] : withBody),
    ...(method !== 'get' && isJson ? (['INVALID_JSON'] as const) : []),
    ...(hasId ? (['INVALID_ID'] as const) : []),
    'BAD_REQUEST',
    'REQUEST_HEADER_FIELDS_TOO_LARGE',
    ...(path.includes('{') ? (['NOT_FOUND'] as const) : []),
    'INTERNAL',
    'DATABASE_UNAVAILABLE',
  ];
}

/** The codes that a description names. */
function codesIn(description = ''): ErrorCode[] {
  return CODES.filter((code) => new RegExp(`\\b${code}\\b`).test(description));
}

/**
 * The content of an error response: the codes, and one example for each code. The message of an example is the text after `CODE: ` in
 * the description; without such a text it is the meaning of the code.
 */
function contentOf(codes: readonly ErrorCode[], description: string) {
  const examples = codes.map((code) => {
    const [statusCode, meaning] = meaningOf(code);
    const message = new RegExp(`\\b${code}: ([^;]+)`).exec(description)?.[1] ?? meaning.replaceAll('`', '');
    const jobId = code === 'DUPLICATE_TRANSACTION' || code === 'TRANSACTION_KEY_REUSED' ? EXAMPLE_ID : undefined;
    return [code, { value: errorBody({ statusCode, code, message, jobId }, EXAMPLE_ID) }];
  });
  const schema = { $ref: '#/components/schemas/ErrorView', properties: { code: { enum: [...codes] } } };
  return { 'application/json': { schema, examples: Object.fromEntries(examples) } };
}
