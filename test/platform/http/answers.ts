import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Capabilities } from '../../../src/platform/config/capabilities.js';
import { documentOf } from '../../../src/platform/http/openapi/document.js';
import { Contract, type Document, type Method } from '../../../tools/contract.js';
import { lookForSecrets, violations } from '../../runner/verdict.js';

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];
/** of the relays of this process, by what they have loaded */
const contracts = new Map<string, Contract>();

/** Validates every answer of a relay against its OpenAPI document; an answer that differs, or shows a secret, fails the running test. */
export function checkAnswers(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const loaded = app.get(Capabilities).loaded.join();
  fastify.addHook('onSend', async (request, reply, payload) => {
    const method = request.method.toLowerCase();
    const route = `${request.method} ${request.routeOptions.url ?? request.url}`;
    lookForSecrets(route, `${JSON.stringify(reply.getHeaders())}\n${typeof payload === 'string' ? payload : ''}`);
    if (!METHODS.includes(method) || /^\/($|docs)/.test(request.url)) return;
    const contract = contracts.get(loaded) ?? new Contract(documentOf(app) as unknown as Document);
    contracts.set(loaded, contract);
    const text = String(payload ?? '');
    const type = String(reply.getHeader('content-type')).split(';')[0] as string;
    // a file of JSON that is still being written
    if (type === 'application/json' && payload !== undefined && typeof payload !== 'string') return;
    const body = type === 'application/json' ? JSON.parse(text) : undefined;
    // the files of the console are not in the document
    if (/^\/console(\/\*)?$/.test(request.routeOptions.url ?? '') && type !== 'application/json') return;
    // refusals of src/capabilities/console/door.ts are not answers of the route
    if (request.originalUrl.startsWith('/console') && [401, 403, 404].includes(reply.statusCode)) return;
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
