import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { documentOf } from '../../src/http/openapi.js';
import { violations } from '../runner/verdict.js';
import { Contract, type Document, type Method } from './contract.js';

const METHODS: readonly string[] = ['get', 'post', 'patch', 'delete'];
let contract: Contract | undefined;

/** Holds every answer of a relay against its OpenAPI document; one that differs fails the running test. */
export function checkAnswers(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onSend', async (request, reply, payload) => {
    const method = request.method.toLowerCase();
    if (!METHODS.includes(method) || /^\/($|docs)/.test(request.url)) return;
    contract ??= new Contract(documentOf(app) as unknown as Document);
    const text = String(payload ?? '');
    const type = String(reply.getHeader('content-type')).split(';')[0] as string;
    const body = type === 'application/json' ? JSON.parse(text) : undefined;
    const headers = { ...reply.getHeaders() };
    try {
      contract.check(method as Method, request.routeOptions.url ?? request.url, {
        status: reply.statusCode,
        headers,
        type,
        body,
        text,
      });
    } catch (error) {
      violations.push((error as Error).message);
    }
  });
}
