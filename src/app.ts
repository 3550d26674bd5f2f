import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { deferBodies } from './http/body.js';
import { useHeaders } from './http/headers.js';
import { serveDocs } from './http/openapi.js';
import { closeConnectionsWhenStopping, createServer } from './http/server.js';
import { refuseWrongMethods } from './http/wrong-method.js';
import { type Log, nestLogger } from './telemetry/log.js';

/**
 * Creates the HTTP application, not listening yet; main.ts and the tests call this one function.
 * @throws what stops the start: an unreachable database, a migration that fails
 */
export async function createApp(config: Config, log: Log): Promise<NestFastifyApplication> {
  const server = createServer(config, log);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config, log), server, {
    logger: nestLogger(log),
    abortOnError: false,
    bodyParser: false,
  });
  useHeaders(app, config.corsOrigins);
  refuseWrongMethods(app);
  closeConnectionsWhenStopping(app, config.requestTimeoutMs);
  deferBodies(app);
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  serveDocs(app);
  return app;
}
