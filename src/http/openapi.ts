import { readFileSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ErrorView, errorBody, problem } from './problem.js';

/** Classes whose decorators describe a body. */
type Model = new () => object;
type Method = 'get' | 'post' | 'patch' | 'delete';
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const TITLE = 'Terminal-to-POS order relay';

/** Of the relay, as package.json has it. */
export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/** The tags in the order of the page: the journey of somebody who sets a restaurant up (P5), then what stands beside it. */
const TAGS: readonly [name: string, description: string][] = [
  ['authentication', 'Sign in; the current user'],
  ['restaurants', 'Restaurants, their store codes and POS credentials, their statistics'],
  ['webhook', 'Where terminals send their transactions'],
  ['orders', 'What became of the transactions of a restaurant'],
  ['users of a restaurant', 'Who is linked to a restaurant, and with which role'],
  ['console', 'The session of the web console at /console/, which calls every other route below /console/api'],
  ['admin', 'Metrics and jobs of the whole deployment, for platform administrators'],
  ['health', 'Health checks; no credentials'],
];

/** The page of Swagger UI has inline styles; its scripts are files. */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

/** The security scheme of the console's session. */
export const SESSION_COOKIE_AUTH = 'session';

const described: { path: string; operation: Operation; models: readonly Model[] }[] = [];

/** Adds a POST route to the document that is no controller's. @param models what its references name */
export function describePost(path: string, operation: Operation, models: readonly Model[]): void {
  described.push({ path, operation, models });
}

/** Serves OpenAPI: the page at /docs, and the document at /docs-json (H8). The page keeps the authorization on reload. */
export function serveDocs(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, next) => {
    const [path = ''] = request.url.startsWith('/docs') ? request.url.split('?') : [];
    if (path !== '/docs' && !path.startsWith('/docs/')) return next();
    // megabytes that nobody but a debugger reads
    if (path.endsWith('.map')) return next(problem(404, 'NOT_FOUND', 'not found'));
    reply.header('Content-Security-Policy', PAGE_POLICY);
    return next();
  });
  SwaggerModule.setup('docs', app, () => documentOf(app), {
    customSiteTitle: TITLE,
    // the routes can be tried at once; the list of schemas, longer than that of the routes, is folded
    swaggerOptions: { persistAuthorization: true, tryItOutEnabled: true, defaultModelsExpandDepth: 0 },
  });
}

/**
 * Builds the OpenAPI 3.1 document. Decorators on the routes describe success, roles and specific errors; the error responses
 * that every operation of the same shape has (400, 404, 408, 413, 415, 500, 503) are added here. The id of an operation is
 * the name of its method: names of methods are unique over all controllers.
 */
export function documentOf(app: NestFastifyApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(TITLE)
    .setDescription(
      'Keeps every sale a payment terminal reports and registers it as an order in the POS of the restaurant. Sign in by ' +
        '`POST /auth/login` and paste the token into **Authorize**. Every error has one shape (ErrorView); its `requestId` ' +
        'is also in the log and in the `X-Request-Id` header.',
    )
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'this relay')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'a JWT from POST /auth/login; at the webhook also the static terminal token',
    })
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'email and password, at the webhook only' })
    .addCookieAuth(
      'relay_session',
      { type: 'apiKey', in: 'cookie', description: 'the session of the console; below /console only' },
      SESSION_COOKIE_AUTH,
    );
  for (const [name, description] of TAGS) about.addTag(name, description);
  const document = SwaggerModule.createDocument(app, about.build(), {
    extraModels: [ErrorView, ...described.flatMap(({ models }) => models)],
    operationIdFactory: (_controller, method) => method,
  });
  // copies: the errors are added to them
  const others = described.map(({ path, operation }) => [path, { post: structuredClone(operation) }]);
  document.paths = { ...Object.fromEntries(others), ...document.paths };
  for (const [path, item] of Object.entries(document.paths))
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (!operation) continue;
      // explicitly none where no credentials are asked for
      operation.security ??= [];
      addErrors(operation, path, method);
    }
  return document;
}

/** An error as this status answers it, by its description: `CODE: message; more`, codes, or words. */
function errorContent(statusCode: number, description: string) {
  const [, code, message] = /^([A-Z]{2,}(?:_[A-Z]+)*)\b(?:: ([^;]+))?/.exec(description) ?? [];
  const words = code?.toLowerCase().replaceAll('_', ' ') ?? description;
  const value = errorBody({ statusCode, code, message: message ?? words }, EXAMPLE_ID);
  return { 'application/json': { schema: { $ref: '#/components/schemas/ErrorView' }, examples: { error: { value } } } };
}
const EXAMPLE_ID = '3f0a6a54-8c6e-4c39-9a51-0c5c0f1f7a11';

const INVALID = 'VALIDATION_FAILED: a field is missing or wrong, or a rule is not met';

function addErrors(operation: Operation, path: string, method: Method): void {
  // a body is read where none is asked for, too; that of a GET is not
  const mayHaveBody = method !== 'get';
  const away = 'DATABASE_UNAVAILABLE: the database does not answer';
  const errors: [status: number, description: string, applies: boolean][] = [
    [400, hasInput(operation) ? INVALID : 'BAD_REQUEST: the request cannot be read', true],
    [404, 'not found', path.includes('{')],
    [408, 'the body did not arrive in time: see REQUEST_TIMEOUT_MS', mayHaveBody],
    [413, 'the body is too large', mayHaveBody],
    [415, 'the body is not application/json', mayHaveBody],
    [500, 'internal error', true],
    [503, method === 'get' ? away : `${away}; it is not known whether anything was stored: send it again`, true],
  ];
  for (const [status, description, applies] of errors) if (applies) operation.responses[status] ??= { description };
  for (const [status, response] of Object.entries(operation.responses))
    if (Number(status) >= 400 && response && !('$ref' in response))
      response.content ??= errorContent(Number(status), response.description);
}

function hasInput({ requestBody, parameters }: Operation): boolean {
  return requestBody !== undefined || (parameters?.length ?? 0) > 0;
}
