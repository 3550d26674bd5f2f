import { randomBytes } from 'node:crypto';
import type { Document } from '../../tools/contract.js';
import { PosSimulator } from '../../tools/simulator/simulator.js';
import { PATHS } from '../../tools/simulator/wire.js';
import { call, signIn } from '../relay-api.js';
import { Campaign } from './campaign.js';
import { Canary } from './canary.js';
import { HELP, type Options, readOptions } from './options.js';
import { type FuzzedRelay, startRelay } from './relay.js';
import { Tenants } from './tenants.js';
import { growth, memoryLine, Usage } from './usage.js';
import { Verdict } from './verdict.js';

/** The command `npm run fuzz`. */

const CANARY_EVERY_MS = 200;
const CANARY_LIMIT_MS = 120_000;
/** Compiled code and caches: what the first tenth leaves is where memory is measured from. */
const WARM = 0.1;
const SIGN_EVERY = 10_000;

type Closer = () => Promise<void> | void;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const closers: Closer[] = [];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void closeAll(closers).then(() => process.exit(1)));
  try {
    return await fuzz(options, closers);
  } finally {
    await closeAll(closers);
  }
}

async function closeAll(closers: Closer[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/** @returns the exit code */
async function fuzz(options: Options, closers: Closer[]): Promise<number> {
  const { seed, only, requests } = options;
  const secret = secretOf('shared');
  const own = { posIdPartner: 'alpha-partner', posSecret: secretOf('alpha') };
  // its POS refuses everything
  const unknown = { posIdPartner: 'beta-partner', posSecret: secretOf('beta') };
  const pos = new PosSimulator({ partners: { 'fuzz-partner': secret, [own.posIdPartner]: own.posSecret } });
  closers.push(() => pos.close());
  pos.behave({ mode: 'any-form', paths: PATHS });
  const posAccess = { url: await pos.listen(), secret, posCredentials: [own, unknown] };

  const verdict = new Verdict(seed);
  const server = process.env.DATABASE_URL ?? process.env.TEST_DATABASE_URL;
  const relay = await startRelay(posAccess, server, (line) => verdict.hear(line), closers);
  const { url, terminalToken } = relay.access;
  const what = only === undefined ? `${requests} requests` : `request ${only}`;
  console.log(`fuzz: seed ${seed}, ${what}, database: ${relay.database}`);

  const document = (await (await fetch(`${url}/docs-json`)).json()) as Document;
  const tenants = new Tenants(relay.access);
  await tenants.canary();
  const campaign = new Campaign(url, document, tenants);
  verdict.judge = campaign.judge;
  const canary = new Canary(url, terminalToken, pos);
  canary.start(CANARY_EVERY_MS);
  const usage = new Usage(relay.cpuMs);
  await usage.begin();
  await Promise.race([play(options, campaign, usage, relay, verdict), relay.died]);
  verdict.reads(canary, await canary.finish(CANARY_LIMIT_MS));
  verdict.delivered(await delivered(relay), pos.orders);
  return verdict.tell(campaign, usage, url);
}

/** The requests of the seed, with a look at the memory when it is warm, in the middle, and at the end. */
async function play(
  { seed, only, requests }: Options,
  campaign: Campaign,
  usage: Usage,
  relay: FuzzedRelay,
  verdict: Verdict,
): Promise<void> {
  const startedAt = performance.now();
  const run = (from: number, to: number) =>
    campaign.run(seed, from, to, async (sent) => {
      for (const { sent: one, text } of await usage.violations(sent)) campaign.report(one.n, text, one.request);
      const done = (sent.at(-1)?.n ?? 0) + 1;
      if (done % SIGN_EVERY < sent.length)
        console.log(`  ${done} sent, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    });
  const measured = async (what: string) => {
    const memory = await relay.memory();
    console.log(`  memory ${what}: ${memoryLine(memory)}`);
    return memory;
  };
  if (only !== undefined) return run(only, only + 1);
  const [warm, middle] = [Math.floor(requests * WARM), Math.floor(requests / 2)];
  await run(0, warm);
  await measured('when warm');
  await run(warm, middle);
  const before = await measured('in the middle');
  await run(middle, requests);
  verdict.problems.push(...growth(before, await measured('at the end')));
}

/** @returns the event keys of the orders that the relay calls delivered */
async function delivered({ access: { url, admin } }: FuzzedRelay): Promise<string[]> {
  const token = await signIn(url, admin);
  const keys: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query = `status=SENT&action=CREATE&limit=100${after && `&after=${encodeURIComponent(after)}`}`;
    const { data, meta } = await call('GET', `${url}/admin/jobs?${query}`, token);
    keys.push(...data.map(({ eventKey }: { eventKey: string }) => eventKey));
    after = meta.next;
  }
  return keys;
}

function secretOf(name: string): string {
  return `${name}-${randomBytes(12).toString('hex')}`;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`fuzz: ${error.message}\n`);
    process.exit(1);
  },
);
