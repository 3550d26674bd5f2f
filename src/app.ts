import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { AuthService } from './auth/auth.service.js';
import { Instances } from './outbox/instances.js';
import type { Config } from './platform/config/config.js';
import { shareOpenFiles } from './platform/config/open-files.js';
import { AppParts } from './platform/http/app-parts.js';
import { deferBodies } from './platform/http/body/body.js';
import { limitChunks } from './platform/http/body/chunk-limit.js';
import { useHeaders } from './platform/http/headers.js';
import { Connections } from './platform/http/limits/connections.js';
import { Refusals } from './platform/http/limits/refusals.js';
import { SerialRequests } from './platform/http/limits/serial-requests.js';
import { Shares } from './platform/http/limits/shares.js';
import { StrangerRequests } from './platform/http/limits/stranger-requests.js';
import { UnreadAnswers } from './platform/http/limits/unread-answers.js';
import { serveDocs } from './platform/http/openapi/document.js';
import { closeConnectionsWhenStopping, createServer, refuseWrongHeaders } from './platform/http/server.js';
import { StartGate } from './platform/http/start-gate.js';
import { refuseWrongMethods } from './platform/http/wrong-method.js';
import { Rounds } from './platform/schedule/rounds.js';
import { SealedColumns } from './platform/secrets/sealed-columns.js';
import { type Log, nestLogger } from './platform/telemetry/log.js';

/**
 * Creates the HTTP application. It does not listen yet. relay.ts and the tests call this function.
 * @throws when the database is unreachable or a migration fails; ConfigError: CAPABILITIES has an unknown name
 */
export async function createApp(config: Config, log: Log): Promise<NestFastifyApplication> {
  const server = createServer(config, log);
  const app = await NestFactory.create<NestFastifyApplication>(await AppModule.forRoot(config, log), server, {
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
  app.get(StrangerRequests).guard(app);
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
