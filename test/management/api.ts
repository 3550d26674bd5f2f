import request from 'supertest';
import type { Method } from '../support/contract.js';

/** The API of a relay, called with JSON. */
export class Api {
  constructor(private readonly url: string) {}

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
    return asked;
  }
}
