import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const LINE = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/;

/** Every route of Fastify's router, as `GET /restaurants/:restaurantId`; without `/`, /docs and the files of the console. */
export function routesOf(app: NestFastifyApplication): string[] {
  const routes: string[] = [];
  const above: string[] = [];
  for (const line of app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, part, methods] = LINE.exec(line) ?? [];
    if (indent === undefined || part === undefined) continue;
    const depth = indent.length / 4;
    above.length = depth;
    above.push(part);
    for (const method of methods?.split(', ') ?? []) if (method !== 'HEAD') routes.push(`${method} ${above.join('')}`);
  }
  return routes.filter((route) => !/^GET \/(docs\b|console(\/\*)?$|$)/.test(route));
}
