import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { keysOf, type ShownKey, sendBy } from '../auth/sender-keys/keys.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

const FOLDER = fileURLToPath(new URL('../../tools/examples/', import.meta.url));
const LIMIT_MS = 60_000;

/** [file, the command that runs it, a command that succeeds where the runtime is there] */
const EXAMPLES = [
  ['sale.sh', 'sh', ['sh', '-c', 'command -v curl && command -v openssl && command -v od']],
  ['sale.mjs', process.execPath, [process.execPath, '--version']],
  ['sale.py', 'python3', ['python3', '--version']],
  ['sale.php', 'php', ['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);']],
  ['Sale.java', 'java', ['java', '--source', '17', '--version']],
] as const;

function isThere([command, ...rest]: readonly [string, ...string[]]): boolean {
  try {
    execFileSync(command, rest, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What the 503 of a {@link BadLine} asks for, in s; more than the first pause of the examples. */
const RETRY_AFTER = 3;

/** A line to the relay that fails twice: it answers 503 in its place, with `Retry-After`, and then loses an answer. */
class BadLine {
  readonly bodies: string[] = [];
  /** when each request came, by performance.now() */
  readonly times: number[] = [];
  readonly ids: unknown[] = [];
  private readonly server: Server;

  /** @param isDown it answers 503 to all requests */
  constructor(
    private readonly relayUrl: string,
    private readonly isDown = false,
  ) {
    this.server = createServer(async (incoming, outgoing) => {
      const body = await buffer(incoming);
      this.ids.push(incoming.headers['webhook-id']);
      this.times.push(performance.now());
      if (this.bodies.push(String(body)) === 1 || this.isDown) {
        outgoing
          .writeHead(503, { 'Retry-After': this.isDown ? 0 : RETRY_AFTER })
          .end('{"code":"DATABASE_UNAVAILABLE"}');
        return;
      }
      const answer = await this.forward(incoming, body);
      const text = await buffer(answer);
      if (this.bodies.length === 2) outgoing.destroy();
      else outgoing.writeHead(answer.statusCode ?? 0, answer.headers).end(text);
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request(`${this.relayUrl}${url}`, { method, headers }, resolve).on('error', reject).end(body);
    });
  }
}

describe('the examples for makers of terminals', () => {
  let scenario: Scenario;
  let key: ShownKey;
  let folder: string;

  beforeAll(async () => {
    scenario = await Scenario.open();
    const { id, token } = await scenario.restaurant();
    key = await keysOf(scenario.relay, id, token).create({ kind: 'SIGNING' });
    folder = mkdtempSync(join(tmpdir(), 'examples-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await scenario.close();
  });

  const run = (command: string, file: string, environment: Record<string, string>) =>
    new Promise<{ code: unknown; said: string }>((resolve) => {
      const settings = { PATH: process.env.PATH, HOME: process.env.HOME, KEY_ID: key.keyId, SECRET: key.secret };
      const env = { ...settings, RELAY_URL: scenario.relay.url, ...environment } as NodeJS.ProcessEnv;
      execFile(command, [file], { env, timeout: LIMIT_MS }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, said: `${stdout}${stderr}` }),
      );
    });
  const jobsOf = async (column: 'source_key' | 'transaction_key', sent: string) =>
    (
      await scenario.database.query(
        `SELECT job.id::text FROM terminal_events event
         JOIN outbox_jobs job ON job.event_key = event.transaction_key AND job.restaurant_id = event.restaurant_id
         WHERE event.${column} = $1`,
        [sent],
      )
    ).map(({ id }) => id);

  for (const [file, command, probe] of EXAMPLES) {
    const isHere = isThere(probe);
    const why = isHere ? '' : ` [skipped: needs ${command}]`;
    (isHere ? describe : describe.skip)(`${file}${why}`, () => {
      test(
        'a sale is stored once, through a 503 and a lost answer; its repeats have the same body (W23)',
        async () => {
          const line = new BadLine(scenario.relay.url);
          const RELAY_URL = await line.open();
          try {
            const TRANSACTION_KEY = `TEST-${file}`;
            const { code, said } = await run(command, join(FOLDER, file), { RELAY_URL, TRANSACTION_KEY });
            expect([code, said]).toEqual([0, expect.stringContaining('stored: {"success":true')]);
            expect([line.bodies.length, new Set(line.bodies).size, new Set(line.ids).size]).toEqual([3, 1, 1]);
            const [first, second] = line.times as [number, number];
            // it is asked for at least this wait; a slow machine waits longer
            expect(second - first).toBeGreaterThan(RETRY_AFTER * 1_000 - 100);
            const [job, ...others] = await jobsOf('source_key', TRANSACTION_KEY);
            expect(said).toContain(String(job));
            expect(others).toEqual([]);
          } finally {
            line.close();
          }
        },
        LIMIT_MS,
      );

      test(
        'a real sale that is sent twice is the same sale (W20)',
        async () => {
          const real = join(folder, file);
          const text = readFileSync(join(FOLDER, file), 'utf8');
          const changed = text.replace(
            /(isTestTransaction\W+)(t)rue/i,
            (_, name, t) => `${name}${t === 'T' ? 'False' : 'false'}`,
          );
          writeFileSync(real, changed);
          const TRANSACTION_KEY = `REAL-${file}`;
          const first = await run(command, real, { TRANSACTION_KEY });
          const second = await run(command, real, { TRANSACTION_KEY });
          const [job, ...others] = await jobsOf('transaction_key', TRANSACTION_KEY);
          expect(others).toEqual([]);
          expect(first).toEqual({ code: 0, said: expect.stringContaining(String(job)) });
          expect(second).toEqual({ code: 0, said: expect.stringContaining('DUPLICATE_TRANSACTION') });
          expect(second.said).toContain(String(job));
        },
        LIMIT_MS,
      );

      test(
        'it ends after its last try, and says that the sale is to be kept and sent again with the same key',
        async () => {
          const line = new BadLine(scenario.relay.url, true);
          const RELAY_URL = await line.open();
          try {
            const { code, said } = await run(command, join(FOLDER, file), {
              ...{ RELAY_URL, TRANSACTION_KEY: 'KEPT', TRIES: '2' },
            });
            expect(code).not.toBe(0);
            expect(said).toMatch(/perhaps not stored: keep the sale, .* later with TRANSACTION_KEY=KEPT/);
            expect([line.bodies.length, new Set(line.bodies).size]).toEqual([2, 1]);
          } finally {
            line.close();
          }
        },
        LIMIT_MS,
      );

      test(
        'a wrong secret is reported, and not repeated',
        async () => {
          const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
          const { code, said } = await run(command, join(FOLDER, file), { SECRET });
          expect([code, said]).toEqual([1, expect.stringMatching(/refused: .*401/s)]);
        },
        LIMIT_MS,
      );
    });
  }

  test('sale-token.sh: a token sends a test sale', async () => {
    const { id, token: owner } = await scenario.restaurant();
    const { token } = await keysOf(scenario.relay, id, owner).create();
    const { said } = await run('sh', join(FOLDER, 'sale-token.sh'), { TOKEN: token, TRANSACTION_KEY: 'TOKEN' });
    expect(said).toContain('{"success":true');
    expect(await jobsOf('source_key', 'TOKEN')).toHaveLength(1);
  });

  describe('receipts.mjs', () => {
    const start = (environment: Record<string, string>) => {
      const env = { PATH: process.env.PATH, ...environment } as NodeJS.ProcessEnv;
      const child = spawn(process.execPath, [join(FOLDER, 'receipts.mjs')], { env });
      const shown = { child, text: '' };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (shown.text += data));
      return shown;
    };
    const cursorOf = (text: string) => [...text.matchAll(/^cursor (\S+)$/gm)].at(-1)?.[1] as string;

    test(
      'asks on through a 503 and a lost answer, and goes on after its cursor: each receipt comes once (V22, V24)',
      async () => {
        const { id, token: owner } = await scenario.restaurant();
        const scopes = ['sales:write', 'receipts:read'];
        const { token: TOKEN } = await keysOf(scenario.relay, id, owner).create({ scopes });
        await sendBy(scenario.relay, TOKEN, { transactionKey: 'FIRST' }).expect(200);
        const line = new BadLine(scenario.relay.url);
        const RELAY_URL = await line.open();
        const asking = start({ RELAY_URL, TOKEN });
        try {
          await until(() => asking.text.includes('order.stored FIRST'), LIMIT_MS);
          expect(line.bodies.length).toBeGreaterThanOrEqual(3);
          await until(() => cursorOf(asking.text) !== undefined);
          // it waits; the next sale ends the wait
          await sendBy(scenario.relay, TOKEN, { transactionKey: 'SECOND' }).expect(200);
          await until(() => asking.text.includes('order.stored SECOND'), LIMIT_MS);
        } finally {
          asking.child.kill();
          line.close();
        }
        expect(asking.text.match(/order\.stored/g)).toHaveLength(2);
        const CURSOR = cursorOf(asking.text.slice(0, asking.text.indexOf('order.stored SECOND')));
        const next = start({ RELAY_URL: scenario.relay.url, TOKEN, CURSOR });
        await until(() => next.text.includes('cursor '), LIMIT_MS);
        next.child.kill();
        expect(next.text).toMatch(/^order\.stored SECOND/);
      },
      LIMIT_MS,
    );

    test('a wrong token is reported, and not repeated', async () => {
      const asking = start({ RELAY_URL: scenario.relay.url, TOKEN: 'wrong' });
      await until(() => asking.child.exitCode !== null, LIMIT_MS);
      expect([asking.child.exitCode, asking.text]).toEqual([1, expect.stringMatching(/refused: .*UNAUTHENTICATED/)]);
    });
  });
});
