import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import helmet from '@fastify/helmet';
import { HttpStatus, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppModule } from './app.module.js';
import { useJsonBodies } from './body.js';
import type { Config } from './config.js';
import { serveDocs } from './docs.js';
import type { ErrorBody } from './error.filter.js';
import { type Log, nestLogger } from './log.js';

const DOCS_POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'", "'unsafe-inline'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  upgradeInsecureRequests: null,
};
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The HTTP application with its pipes and filters, not listening yet; the tests call the same function. */
export async function createApp(config: Config, log: Log): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    // a transactionKey in an address, percent-encoded
    routerOptions: { maxParamLength: 4_096 },
    trustProxy: trustProxy(config.trustProxy),
    // what never reaches a route: an address that cannot be decoded
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const { body, status } = unreadableAddress(request.id);
      reply.status(status).header('X-Request-Id', request.id).send(body);
    },
    genReqId: ({ headers }: IncomingMessage) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, log), adapter, {
    logger: nestLogger(log),
    abortOnError: false,
    bodyParser: false,
  });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', async (request, reply) => {
      reply.header('X-Request-Id', request.id);
    });
  // the page at /docs brings its own scripts and styles, some of them inline
  await app.register(helmet, { contentSecurityPolicy: { directives: DOCS_POLICY } });
  if (config.corsOrigins.length > 0)
    app.enableCors({
      origin: [...config.corsOrigins],
      methods: ['GET', 'POST', 'PATCH', 'DELETE'],
      exposedHeaders: ['X-Request-Id'],
    });
  closeConnectionsWhenStopping(app);
  useJsonBodies(app, config.bodyLimitBytes);
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  serveDocs(app);
  return app;
}

/** A connection kept alive by an answer that was still under way would hold up the stop until it has idled long enough. */
function closeConnectionsWhenStopping(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  let stopping = false;
  fastify.addHook('preClose', async () => {
    stopping = true;
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('Connection', 'close');
  });
}

function unreadableAddress(requestId: string): { status: number; body: ErrorBody } {
  const status = HttpStatus.BAD_REQUEST;
  const body = {
    statusCode: status,
    error: 'Bad Request',
    message: 'the address cannot be read',
    code: 'BAD_REQUEST',
    requestId,
  };
  return { status, body };
}

/** A number counts the proxies in front, from the nearest. */
function trustProxy(setting: Config['trustProxy']): boolean | string | ((address: string, hop: number) => boolean) {
  return typeof setting === 'number' ? (_, hop) => hop < setting : setting;
}
