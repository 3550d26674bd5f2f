import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RouteOptions } from 'fastify';
import { problem } from './problem.js';

interface Route {
  readonly path: RegExp;
  readonly methods: readonly string[];
}

/**
 * Answers 405 with `Allow` when the router has the path only with other methods (H2). Must be called before the routes are registered,
 * because it collects the routes.
 */
export function refuseWrongMethods(app: NestFastifyApplication): void {
  const routes: Route[] = [];
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', ({ url, method }: RouteOptions) => {
    if (!url.includes('*')) routes.push({ path: patternOf(url), methods: [method].flat() });
  });
  fastify.addHook('onRequest', (request, reply, next) => {
    if (!request.is404) return next();
    const [path = ''] = request.url.split('?');
    const methods = routes.filter((route) => route.path.test(path)).flatMap((route) => route.methods);
    if (methods.length === 0) return next();
    reply.header('Allow', [...new Set(methods)].toSorted().join(', '));
    return next(problem('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; see the Allow header`));
  });
}

/** `/a/:id` -> `/^\/a\/[^/]+\/?$/` */
function patternOf(route: string): RegExp {
  const parts = route.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}/?$`);
}
