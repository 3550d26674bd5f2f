import request from 'supertest';
import type { Method } from '../../tools/contract.js';
import { lookForSecrets } from '../runner/verdict.js';
import { ADMIN, TERMINAL_TOKEN } from './environment.js';

/** The API of a relay, called with JSON. */
const apiOf = (url: string) => {
  const call = (method: Method) => (path: string, token?: string, body?: unknown) => {
    const asked = request(url)[method](path);
    asked.on('response', ({ text }) => lookForSecrets(`${method.toUpperCase()} ${path}`, String(text)));
    if (token !== undefined) asked.auth(token, { type: 'bearer' });
    return body === undefined ? asked : asked.type('json').send(JSON.stringify(body));
  };
  return { get: call('get'), post: call('post'), put: call('put'), patch: call('patch'), delete: call('delete') };
};
export type Api = ReturnType<typeof apiOf>;

/** A relay in this or in another process, called by its URL. */
export abstract class RelayClient {
  abstract readonly url: string;

  get http() {
    return request(this.url);
  }

  get api() {
    return apiOf(this.url);
  }

  async login({ email, password } = ADMIN): Promise<string> {
    return (await this.api.post('/auth/login', undefined, { email, password }).expect(200)).body.access_token;
  }

  /** @returns the id of a new restaurant that the administrator owns */
  async createRestaurant(fields: Record<string, unknown> = {}): Promise<string> {
    const body = { name: 'Pizzeria Roma', codeStoreTerminal: 'STORE-1', codeStorePos: '1001', ...fields };
    return (await this.api.post('/restaurants', await this.login(), body).expect(201)).body.data.id;
  }

  /** Posts a transaction as the terminal platform. */
  post = (transaction: unknown) => this.api.post('/webhooks/terminal', TERMINAL_TOKEN, transaction);

  /** Posts a transaction and expects 200. @returns the job's id */
  accept = async (transaction: unknown): Promise<string> => (await this.post(transaction).expect(200)).body.jobId;
}

let count = 0;

/** A transaction with a new key: two pizzas, paid by card. */
export const sale = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  transactionKey: `T-${Date.now()}-${process.pid}-${++count}`,
  transactionNumber: String(count),
  storeCode: 'STORE-1',
  transactionDate: '2026-01-31T20:15:00Z',
  totalAmount: 79.8,
  items: [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9 }],
  payments: [{ tenderType: 16, amount: 79.8 }],
  ...changes,
});
