import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { AuthService } from './auth/auth.service.js';
import type { Config } from './config/config.js';
import { shareOpenFiles } from './config/open-files.js';
import { AppParts } from './http/app-parts.js';
import { deferBodies } from './http/body.js';
import { limitChunks } from './http/chunk-limit.js';
import { Connections } from './http/connections.js';
import { useHeaders } from './http/headers.js';
import { serveDocs } from './http/openapi.js';
import { Refusals } from './http/refusals.js';
import { SerialRequests } from './http/serial-requests.js';
import { closeConnectionsWhenStopping, createServer, refuseWrongHeaders } from './http/server.js';
import { Shares } from './http/shares.js';
import { StartGate } from './http/start-gate.js';
import { UnreadAnswers } from './http/unread-answers.js';
import { refuseWrongMethods } from './http/wrong-method.js';
import { Instances } from './outbox/instances.js';
import { Rounds } from './schedule/rounds.js';
import { SealedColumns } from './secrets/sealed-columns.js';
import { type Log, nestLogger } from './telemetry/log.js';

/**
 * Creates the HTTP application. It does not listen yet. main.ts and the tests call this function.
 * @throws when the database is unreachable or a migration fails
 */
export async function createApp(config: Config, log: Log): Promise<NestFastifyApplication> {
  const server = createServer(config, log);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config, log), server, {
    logger: nestLogger(log),
    abortOnError: false,
    bodyParser: false,
  });
  app.get(StartGate).guard(app);
  useHeaders(app, config.corsOrigins);
  refuseWrongHeaders(app);
  refuseWrongMethods(app);
  closeConnectionsWhenStopping(app, config.requestTimeoutMs);
  app.get(Connections).guard(app, shareOpenFiles(config).connections);
  app.get(Refusals).guard(app);
  app.get(Shares).guard(app);
  app.get(UnreadAnswers).guard(app);
  app.get(SerialRequests).guard(app);
  limitChunks(app);
  deferBodies(app);
  const entrances = app.get(AppParts).addTo(app);
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  if (config.apiDocs) serveDocs(app);
  const [entrance] = [...entrances, ...(config.apiDocs ? ['/docs'] : [])];
  if (entrance !== undefined)
    app
      .getHttpAdapter()
      .getInstance()
      .get('/', (_request, reply) => reply.redirect(entrance, 302));
  return app;
}

/**
 * Listens; then creates the administrator, rotates secrets and starts the background work. An instance that cannot listen has therefore changed
 * nothing in the database except by migrations (S17). Requests that arrive before these steps have ended wait for the end.
 * @throws the error of listening or of the database
 */
export async function listen(app: NestFastifyApplication, port: number, host: string): Promise<void> {
  const gate = app.get(StartGate);
  gate.close();
  // as many may wait to be accepted as are accepted: a sender that connects beside many others would begin again after seconds
  await app.listen({ port, host, backlog: app.get(Connections).limits.connections });
  await app.get(Instances).warnOfOtherKeys();
  await Promise.all([app.get(AuthService).createAdministrator(), app.get(SealedColumns).rotate()]);
  app.get(Rounds).start();
  gate.open();
}
