import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** The body of every error answer, for the document. */
class ErrorView {
  @ApiProperty({ type: 'integer', example: 400 })
  statusCode: number;

  @ApiProperty({ example: 'Bad Request', description: 'the status in words' })
  error: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    example: ['transactionKey: is required'],
    description: 'one text, or a list of field errors',
  })
  message: string | string[];

  @ApiProperty({ example: 'INVALID_TRANSACTION', description: 'a stable upper-case word' })
  code: string;

  @ApiProperty({ description: 'also in X-Request-Id, and in the log' })
  requestId: string;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** OpenAPI: the page at /docs, the document at /docs-json. */
export function serveDocs(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => documentOf(app));
}

/** The document, with the error answers that every operation of its kind has. */
export function documentOf(app: NestFastifyApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Terminal-to-POS order relay')
    .setDescription(
      'Keeps every sale a payment terminal reports and registers it as an order in the POS of the restaurant.',
    )
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'a JWT from POST /auth/login; at the webhook also the static terminal token',
    })
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'email and password, at the webhook only' })
    .build();
  const document = SwaggerModule.createDocument(app, about, { extraModels: [ErrorView] });
  for (const [path, item] of Object.entries(document.paths))
    for (const method of ['get', 'post', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (operation) addErrors(path, operation);
    }
  return document;
}

const ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorView' } } };

function addErrors(path: string, operation: Operation): void {
  const errors: [status: number, description: string, applies: boolean][] = [
    [400, 'a field is missing or wrong, or a rule is not met', hasInput(operation)],
    [401, 'not authenticated', Boolean(operation.security?.length) || path === '/auth/login'],
    [403, 'no permission or role', path.includes('{restaurantId}') || path.startsWith('/admin')],
    [404, 'not found', path.includes('{')],
    [413, 'the body is too large', operation.requestBody !== undefined],
    [415, 'the body is not application/json', operation.requestBody !== undefined],
    [500, 'internal error', true],
    [503, 'the database does not answer; nothing was changed', true],
  ];
  for (const [status, description, applies] of errors) if (applies) operation.responses[status] ??= { description };
  for (const [status, response] of Object.entries(operation.responses))
    if (Number(status) >= 400 && response && !('$ref' in response)) response.content ??= ERROR;
}

function hasInput({ requestBody, parameters }: Operation): boolean {
  return requestBody !== undefined || (parameters?.length ?? 0) > 0;
}
