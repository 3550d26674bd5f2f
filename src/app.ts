import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import helmet from '@fastify/helmet';
import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { useJsonBodies } from './body.js';
import type { Config } from './config.js';
import { serveDocs } from './docs.js';
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
    bodyLimit: config.bodyLimitBytes,
    trustProxy: trustProxy(config.trustProxy),
    genReqId: ({ headers }: IncomingMessage) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, log), adapter, {
    logger: nestLogger(log),
    abortOnError: false,
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
    app.enableCors({ origin: [...config.corsOrigins], exposedHeaders: ['X-Request-Id'] });
  useJsonBodies(app, config.bodyLimitBytes);
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  serveDocs(app);
  return app;
}

/** A number counts the proxies in front, from the nearest. */
function trustProxy(setting: Config['trustProxy']): boolean | string | ((address: string, hop: number) => boolean) {
  return typeof setting === 'number' ? (_, hop) => hop < setting : setting;
}
