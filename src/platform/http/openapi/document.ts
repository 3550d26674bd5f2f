import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../../version.js';
import { ErrorView, problem } from '../problem.js';
import { bytesFor, SharedFiles, sharedText } from '../shared-files.js';
import { addErrors, type Method, type Operation } from './errors.js';
import { addHeaders, HEADERS } from './headers.js';
import { introduction } from './introduction.js';

/** Classes whose decorators describe a body. */
type Model = new () => object;

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];
const TITLE = 'Terminal-to-POS order relay';

/** The tags in the order of the page (H16); those of modules follow. */
const TAGS: [name: string, description: string][] = [
  ['webhook', 'Where terminals send their transactions'],
  ['authentication', 'Sign in; the current user'],
  ['restaurants', 'Restaurants, their store codes and POS credentials, their statistics'],
  ['orders', 'The orders of a restaurant, their state and their cancel'],
  ['users of a restaurant', 'The users linked to a restaurant, their roles, and invitations'],
  ['admin', 'Metrics and jobs of the whole deployment, for platform administrators'],
  ['health', 'Health checks; no credentials'],
];

/** Adds the tag of the routes of a module. */
export function addTag(name: string, description: string): void {
  TAGS.push([name, description]);
}

const enums = new Map<string, () => string>();

/** Describes a named enum to which modules add values. @param description is called when the document is built */
export function describeEnum(name: string, description: () => string): void {
  enums.set(name, description);
}

/** The content security policy of the Swagger UI page. The page has inline styles; its scripts are files. */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

/** The security scheme of the console's session. */
export const SESSION_COOKIE_AUTH = 'session';

const described: { path: string; operation: Operation; models: readonly Model[] }[] = [];

/** Adds a POST route without a controller to the document. @param models the classes that the operation refers to */
export function describePost(path: string, operation: Operation, models: readonly Model[]): void {
  described.push({ path, operation, models });
}

/**
 * Runs in the browser: versions before kept what was typed into "Authorize" in the storage of this origin.
 */
const forgetAuthorization = () =>
  (globalThis as unknown as { localStorage: { removeItem(name: string): void } }).localStorage.removeItem('authorized');

/** What contains the whole document: it is written and compressed once, and all answers share its bytes (H22). */
const DOCUMENTS = ['/docs-json', '/docs-yaml', '/docs/swagger-ui-init.js'];
/** The routes of the page itself. */
const PAGES = ['/docs', '/docs/', '/docs/index.html'];
/** The files of the page. What else the package has is not served, such as source maps. */
const PAGE_FILES = [
  ...['swagger-ui.css', 'index.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'],
  ...['favicon-16x16.png', 'favicon-32x32.png'],
];

/** Serves OpenAPI: the page at /docs, and the document at /docs-json (H8). The page keeps no credentials. */
export function serveDocs(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const files = new SharedFiles(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')));
  const documents = new Map<string, { shared: ReturnType<typeof sharedText>; type: unknown }>();
  fastify.addHook('onRequest', (request, reply, next) => {
    // the route, not the path: the router takes a path with a slash at its end, or with encoded letters, for the same
    const { url = '' } = request.routeOptions;
    const isOfPage = url === '/docs' || url.startsWith('/docs/');
    if (!isOfPage && !DOCUMENTS.includes(url)) return next();
    if (isOfPage) reply.header('Content-Security-Policy', PAGE_POLICY);
    const { '*': name } = request.params as { readonly '*'?: string };
    if (name !== undefined && PAGE_FILES.includes(name))
      if (files.send(name, request, reply, { 'Cache-Control': 'no-cache' })) return;
    const document = documents.get(url);
    if (document)
      return void reply.header('Content-Type', document.type).send(bytesFor(document.shared, request, reply));
    return PAGES.includes(url) || DOCUMENTS.includes(url) ? next() : next(problem('NOT_FOUND', 'not found'));
  });
  fastify.addHook('onSend', (request, reply, payload, next) => {
    const { url = '' } = request.routeOptions;
    if (typeof payload !== 'string' || reply.statusCode !== 200 || !DOCUMENTS.includes(url)) return next(null, payload);
    const shared = sharedText(payload);
    documents.set(url, { shared, type: reply.getHeader('content-type') });
    return next(null, bytesFor(shared, request, reply));
  });
  SwaggerModule.setup('docs', app, () => documentOf(app), {
    customSiteTitle: TITLE,
    swaggerOptions: {
      ...{ persistAuthorization: false, tryItOutEnabled: true, defaultModelsExpandDepth: 0 },
      onComplete: forgetAuthorization,
    },
  });
}

/**
 * Builds the OpenAPI 3.1 document (H15). Decorators on the routes describe success, roles and specific errors; common errors and
 * headers are added here. The id of an operation is the name of its method: the names are unique over all controllers.
 */
export function documentOf(app: NestFastifyApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(TITLE)
    .setDescription(introduction())
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'this relay')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description:
        'a JWT from POST /auth/login; at the webhook also the static terminal token, or the token of a sender key',
    })
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'email and password, at the webhook only' })
    .addCookieAuth(
      '__Host-relay_session',
      {
        type: 'apiKey',
        in: 'cookie',
        description:
          'the session of the console, below /console only; by http to localhost its name is `relay_session`',
      },
      SESSION_COOKIE_AUTH,
    );
  for (const [name, description] of TAGS) about.addTag(name, description);
  const document = SwaggerModule.createDocument(app, about.build(), {
    extraModels: [ErrorView, ...described.flatMap(({ models }) => models)],
    operationIdFactory: (_controller, method) => method,
  });
  document.components = {
    ...document.components,
    headers: HEADERS,
    schemas: plainReferences(document.components?.schemas),
  };
  for (const [name, description] of enums) {
    const schema = document.components?.schemas?.[name];
    if (schema) Object.assign(schema, { description: description() });
  }
  // operations are copied, because addErrors and addHeaders change them
  const others = described.map(({ path, operation }) => [path, { post: structuredClone(operation) }]);
  document.paths = { ...Object.fromEntries(others), ...document.paths };
  for (const [path, item] of Object.entries(document.paths))
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      // an empty list: no authentication
      operation.security ??= [];
      addErrors(operation, path, method);
      addHeaders(operation, method);
    }
  return document;
}

/**
 * Replaces `{ description, allOf: [{ $ref }] }`, which Nest writes for a property of a named enum, by `{ description, $ref }`, which
 * OpenAPI 3.1 allows.
 */
function plainReferences<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainReferences) as Value;
  const { allOf, ...rest } = value as { allOf?: readonly object[] };
  const plain = allOf?.length === 1 ? { ...rest, ...allOf[0] } : value;
  return Object.fromEntries(Object.entries(plain).map(([name, inner]) => [name, plainReferences(inner)])) as Value;
}
