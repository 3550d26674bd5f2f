import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PosSimulator } from '../../src/pos/simulator.js';
import { makeDataDir } from './data-dir.js';
import type { TestDatabase } from './database.js';
import { ADMIN, PARTNER, TERMINAL_TOKEN, testEnvironment } from './environment.js';
import { Instance } from './instance.js';
import { sale } from './sale.js';

interface Answer {
  readonly status: number;
  readonly body: Record<string, string>;
}

/** Relays as processes on one DATA_DIR, as on a machine without a database server, and their POS. */
export class EmbeddedHouse {
  readonly dataDir = makeDataDir();
  readonly pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret, own: 'hush-hush' } });
  private readonly running = new Set<Instance>();

  private constructor(readonly environment: Record<string, string>) {}

  static async open(changes: Record<string, string> = {}): Promise<EmbeddedHouse> {
    const { DATABASE_URL, JWT_SECRET, SECRETS_KEY, ...rest } = testEnvironment({ url: '' } as TestDatabase, changes);
    const house = new EmbeddedHouse({ ...rest, NODE_ENV: 'development' });
    Object.assign(house.environment, { DATA_DIR: house.dataDir, POS_BASE_URL: await house.pos.listen() });
    return house;
  }

  /** A data folder whose path is too long for a socket's. */
  makeDeepDataDir(): string {
    return makeDataDir(join(this.dataDir, 'a'.repeat(60), 'b'.repeat(60)));
  }

  async start(changes: Record<string, string> = {}): Promise<Instance> {
    const instance = this.spawn(changes);
    await instance.logged('relay.started');
    return instance;
  }

  /** Starts one and does not wait. */
  spawn(changes: Record<string, string> = {}): Instance {
    const instance = Instance.spawn({ ...this.environment, ...changes });
    this.running.add(instance);
    return instance;
  }

  async close(): Promise<void> {
    for (const instance of this.running) await instance.kill();
    await this.pos.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async post(url: string, body: unknown, token: string): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  }

  async login({ url }: Instance): Promise<string> {
    return (await this.post(`${url}/auth/login`, ADMIN, '')).body.access_token as string;
  }

  async createRestaurant(relay: Instance, fields: Record<string, string> = {}): Promise<void> {
    const body = { name: 'Roma', codeStoreTerminal: 'STORE-1', codeStorePos: '1001', ...fields };
    const { status } = await this.post(`${relay.url}/restaurants`, body, await this.login(relay));
    if (status !== 201) throw new Error(`no restaurant: ${status}`);
  }

  sell({ url }: Instance): Promise<Answer> {
    return this.post(`${url}/webhooks/terminal`, sale(), TERMINAL_TOKEN);
  }
}
