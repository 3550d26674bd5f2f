import { Writable } from 'node:stream';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import request from 'supertest';
import type { Config } from '../../src/config.js';
import type { Log } from '../../src/log.js';
import { Contract, type Document, type Method } from './contract.js';
import type { TestDatabase } from './database.js';
import { ADMIN, TERMINAL_TOKEN, testEnvironment } from './environment.js';

/** @see application.mjs */
type Application = Pick<typeof import('@nestjs/schedule'), 'SchedulerRegistry'> &
  Pick<typeof import('../../src/app.js'), 'createApp'> &
  Pick<typeof import('../../src/config.js'), 'loadConfig'> &
  Pick<typeof import('../../src/docs.js'), 'documentOf'> &
  Pick<typeof import('../../src/outbox/reaper.js'), 'Reaper'> &
  Pick<typeof import('../../src/outbox/retention.js'), 'Retention'> &
  Pick<typeof import('../../src/outbox/schedule.js'), 'OutboxSchedule'> &
  Pick<typeof import('../../src/outbox/watch.js'), 'Watch'>;

type PartName = 'OutboxSchedule' | 'Reaper' | 'Retention' | 'SchedulerRegistry' | 'Watch';

declare global {
  /** Given by jest-environment.mjs: the application as built, one for all suites of a worker. */
  function loadApplication(): Promise<Application>;
}

const application = await loadApplication();

const METHODS: readonly string[] = ['get', 'post', 'patch', 'delete'];
let contract: Contract | undefined;

/** Every answer of every relay of the tests is held against the OpenAPI document; one that differs becomes a 500. */
function checkAnswers(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onSend', async (request, reply, payload) => {
    const method = request.method.toLowerCase();
    if (!METHODS.includes(method) || request.url.startsWith('/docs')) return;
    contract ??= new Contract(application.documentOf(app) as unknown as Document);
    const text = String(payload ?? '');
    const type = String(reply.getHeader('content-type')).split(';')[0] as string;
    const body = type === 'application/json' ? JSON.parse(text) : undefined;
    const headers = { ...reply.getHeaders() };
    contract.check(method as Method, request.url, { status: reply.statusCode, headers, type, body, text });
  });
}

/**
 * The real application in this process, listening on a free port. Its schedule is off unless WORKER_ENABLED says
 * otherwise: a test calls `tick` and `reap`, and so owns the clock.
 */
export class TestRelay {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly config: Config,
    readonly url: string,
    /** every line logged so far */
    readonly logged: Record<string, unknown>[],
    private readonly waiting: Set<() => void>,
  ) {}

  static async start(database: TestDatabase, changes: Record<string, string> = {}): Promise<TestRelay> {
    const config = application.loadConfig(testEnvironment(database, changes));
    const logged: Record<string, unknown>[] = [];
    const waiting = new Set<() => void>();
    const lines = new Writable({
      write: (chunk, _, done) => {
        logged.push(JSON.parse(String(chunk)));
        for (const check of waiting) check();
        done();
      },
    });
    const app = await TestRelay.listen(config, pino({ level: 'debug' }, lines));
    return new TestRelay(app, config, await app.getUrl(), logged, waiting);
  }

  /** An application whose configuration `loadConfig` may refuse. */
  static async listen(config: Config, log = pino({ level: 'silent' })): Promise<NestFastifyApplication> {
    const app = await application.createApp(config, log as unknown as Log);
    checkAnswers(app);
    await app.listen(0, '127.0.0.1');
    return app;
  }

  /** Waits until a line of this event has been logged. */
  hasLogged(event: string): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!this.logged.some((line) => line.event === event)) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
      check();
    });
  }

  /** A part of it, by the name of its class. */
  get<Name extends PartName>(name: Name): InstanceType<Application[Name]> {
    return this.app.get(application[name] as Type);
  }

  get http() {
    return request(this.url);
  }

  /** One tick of the worker: a batch, settled. */
  tick(): Promise<void> {
    return this.get('OutboxSchedule').tick();
  }

  reap(): Promise<void> {
    return this.get('Reaper').reap();
  }

  async login({ email, password } = ADMIN): Promise<string> {
    const answer = await this.http.post('/auth/login').send({ email, password }).expect(200);
    return answer.body.access_token;
  }

  /** @returns the id of a new restaurant that the administrator owns */
  async createRestaurant(fields: Record<string, unknown> = {}): Promise<string> {
    const token = await this.login();
    const body = { name: 'Pizzeria Roma', codeStoreTerminal: 'STORE-1', codeStorePos: '1001', ...fields };
    const answer = await this.http.post('/restaurants').auth(token, { type: 'bearer' }).send(body).expect(201);
    return answer.body.data.id;
  }

  /** Posts a transaction as the terminal platform. */
  post(body: unknown) {
    return this.http
      .post('/webhooks/terminal')
      .auth(TERMINAL_TOKEN, { type: 'bearer' })
      .send(body as object);
  }

  /** Posts a transaction that must be accepted. @returns the job's id */
  async accept(body: unknown): Promise<string> {
    return (await this.post(body).expect(200)).body.jobId;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}
