import helmet from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Nothing inline; the page at /docs has a policy of its own. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  upgradeInsecureRequests: null,
};

/**
 * Sets the headers of every answer: X-Request-Id (H6), security headers, CORS.
 * @param corsOrigins origins whose pages may call the API; empty: CORS stays off
 */
export async function useHeaders(app: NestFastifyApplication, corsOrigins: readonly string[]): Promise<void> {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', async (request, reply) => {
      reply.header('X-Request-Id', request.id);
    });
  await app.register(helmet, { contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY } });
  if (corsOrigins.length > 0)
    app.enableCors({
      origin: [...corsOrigins],
      methods: ['GET', 'POST', 'PATCH', 'DELETE'],
      exposedHeaders: ['X-Request-Id'],
    });
}
