import request from 'supertest';
import { Contract, type Method } from '../support/contract.js';
import type { TestRelay } from '../support/relay.js';

/** The API of a relay, whose every answer is checked against its own OpenAPI document. */
export class Api {
  private constructor(
    private readonly url: string,
    readonly contract: Contract,
  ) {}

  static async of({ url }: TestRelay): Promise<Api> {
    const { body } = await request(url).get('/docs-json').expect(200);
    return new Api(url, new Contract(body));
  }

  get(path: string, token?: string) {
    return this.call('get', path, token);
  }

  post(path: string, token?: string, body?: unknown) {
    return this.call('post', path, token, body);
  }

  patch(path: string, token?: string, body?: unknown) {
    return this.call('patch', path, token, body);
  }

  delete(path: string, token?: string) {
    return this.call('delete', path, token);
  }

  call(method: Method, path: string, token?: string, body?: unknown) {
    const asked = request(this.url)[method](path);
    if (token !== undefined) asked.set('Authorization', `Bearer ${token}`);
    if (body !== undefined) asked.set('Content-Type', 'application/json').send(JSON.stringify(body));
    return asked.expect((answer) => this.contract.check(method, path, answer));
  }
}
