import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CODES, meaningOf, statusOf } from '../../../src/platform/http/error-codes.js';
import type { Document, Operation, Responded, Schema } from '../../../tools/contract.js';
import { Scenario } from '../../support/scenario.js';
import { readSpecification } from '../../support/specification.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TABLE = 'src/platform/http/error-codes.ts';
/** Codes without an operation: no route has the method. */
const OF_NO_OPERATION = ['METHOD_NOT_ALLOWED'];

/** The text of every source file except the table of codes. */
function sources(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', name))
    .filter((name) => name.endsWith('.ts') && name !== TABLE && !name.includes('generated'))
    .map((name) => readFileSync(join(ROOT, name), 'utf8'));
}

describe('error codes and responses in the OpenAPI document', () => {
  const scenario = Scenario.ofSuite();
  let document: Document;

  beforeAll(async () => {
    document = (await scenario.api.get('/docs-json').expect(200)).body;
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
    );
  const responses = (): [string, string, Responded][] =>
    operations().flatMap(([name, operation]) =>
      Object.entries(operation.responses).map(([status, response]): [string, string, Responded] => [
        `${name} ${status}`,
        status,
        response,
      ]),
    );
  const codesOf = ({ content }: Responded): string[] =>
    (content?.['application/json']?.schema.properties?.code?.enum ?? []) as string[];

  describe('one table of codes (H14)', () => {
    test('every thrown code is in the table, and every code of the table is thrown', () => {
      // the type of problem() allows only codes of the table; bodies may also be built without it
      const thrown = sources().flatMap((text) =>
        [
          ...text.matchAll(
            /(?<!\.)(?:problem|problemOfJob)\(\s*(?:'|\w+_CODES\.)([A-Z_]+)|\bstatusCode: \d+,\s*code: (?:'|\w+_CODES\.)([A-Z_]+)/g,
          ),
        ].map(([, called, built]) => called ?? built),
      );
      expect(thrown.length).toBeGreaterThan(CODES.length / 2);
      expect(thrown.filter((code) => !CODES.includes(code as never))).toEqual([]);
      const all = sources()
        .map((text) => text.replaceAll(/Refuses\([^)]*\)|refusals\([^)]*\)/g, ''))
        .join('\n');
      expect(CODES.filter((code) => !new RegExp(`'${code}'|_CODES\\.${code}\\b`).test(all))).toEqual([]);
    });

    test('the type of `code` in the document is the table', () => {
      expect(document.components.schemas.ErrorCode?.enum).toEqual(CODES);
      expect(JSON.stringify(document.components.schemas.ErrorView?.properties?.code)).toContain('schemas/ErrorCode"');
    });

    test('the table is in the description of the document and in the specification', () => {
      const rows = CODES.map((code) => `| \`${code}\` | ${meaningOf(code).slice(0, 2).join(' | ')} |`);
      const specification = readSpecification();
      const missing = rows.filter(
        (row) => !document.info.description?.includes(row) || !specification.includes(`  ${row}\n`),
      );
      expect(missing).toEqual([]);
    });

    test('every code is documented for a route, with the status of the table', () => {
      const named = responses().flatMap(([, status, response]) =>
        codesOf(response).map((code) => ({ code, status: Number(status) })),
      );
      const wrong = named.filter(
        ({ code, status }) => !CODES.includes(code as never) || statusOf(code as never) !== status,
      );
      expect(wrong).toEqual([]);
      const codes = new Set(named.map(({ code }) => code));
      expect(CODES.filter((code) => !codes.has(code))).toEqual(OF_NO_OPERATION);
    });
  });

  describe('responses of every route (H15)', () => {
    test('every error response has its codes in schema and description, and an example of each', () => {
      for (const [name, status, response] of responses()) {
        if (Number(status) < 400 || /\/health\S* 503$/.test(name)) continue;
        const codes = codesOf(response);
        expect([name, codes]).not.toEqual([name, []]);
        expect([name, codes.filter((code) => !response.description?.includes(code))]).toEqual([name, []]);
        const examples = response.content?.['application/json']?.examples ?? {};
        expect([name, Object.keys(examples)]).toEqual([name, codes]);
        for (const { value } of Object.values(examples)) expect(value).toMatchObject({ statusCode: Number(status) });
      }
    });

    test('the code of a 500 is INTERNAL', () => {
      const codes = responses().flatMap(([, status, response]) => (status === '500' ? [codesOf(response)] : []));
      expect(codes).toEqual(operations().map(() => ['INTERNAL']));
    });

    test('every parameter has a type', () => {
      const kinds = /^(string|integer|number|boolean)$/;
      const untyped = operations().flatMap(([name, { parameters = [] }]) =>
        parameters
          .filter(({ schema }) => !schema?.$ref && !kinds.test(schema?.type ?? ''))
          .map((parameter) => `${name} ${parameter.name}`),
      );
      expect(untyped).toEqual([]);
    });

    test('every response has a description', () => {
      expect(responses().filter(([, , { description }]) => !/\w{3}/.test(description ?? ''))).toEqual([]);
    });

    test('enums are named schemas', () => {
      const inline: string[] = [];
      const look = (value: unknown, at: string): void => {
        if (typeof value !== 'object' || value === null) return;
        const { enum: values } = value as Schema;
        // a single value is a constant; the codes of a response are a subset of ErrorCode
        const isOfResponse = /^paths .* properties code$/.test(at);
        if (Array.isArray(values) && values.length > 1 && !isOfResponse && !/^components schemas \w+$/.test(at))
          inline.push(at);
        for (const [name, inner] of Object.entries(value)) look(inner, at ? `${at} ${name}` : name);
      };
      look(document, '');
      expect(inline).toEqual([]);
      const { RestaurantRole, JobStatus, OrderState } = document.components.schemas;
      expect(RestaurantRole?.enum).toContain('OWNER');
      expect(JobStatus?.enum).toContain('DLQ');
      expect(OrderState?.enum).toContain('parked');
    });

    test('responses name their headers: X-Request-Id, Retry-After, Console-Pace', () => {
      const headersOf = ({ headers = {} }: Responded) => Object.keys(headers);
      for (const [name, status, response] of responses()) {
        expect([name, headersOf(response)]).toEqual([name, expect.arrayContaining(['X-Request-Id'])]);
        if (status === '429')
          expect([name, headersOf(response)]).toContainEqual(expect.arrayContaining(['Retry-After']));
      }
      const read = document.paths['/restaurants/{restaurantId}/orders']?.get?.responses['200'] as Responded;
      expect(headersOf(read)).toContain('Console-Pace');
      const { headers = {} } = document.components;
      for (const { description } of Object.values(headers)) expect(description).toMatch(/\w{3}/);
      // a 405 belongs to no operation
      expect(document.info.description).toContain('the `Allow` header names those it has');
    });
  });
});
