import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';

/**
 * The routes of a capability, as `GET /restaurants/:restaurantId/days`: those of the controllers in its folder, which this process may have loaded
 * or not.
 */
export async function ownRoutes(capability: string): Promise<string[]> {
  const folder = resolve('src/capabilities', capability);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.controller.ts'),
  );
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(resolve(folder, file)).href)));
  return modules.flatMap((exported) => Object.values(exported).flatMap(routesOfClass));
}

/** @param exported what a file exports; only a controller has routes */
function routesOfClass(exported: unknown): string[] {
  if (typeof exported !== 'function' || !Reflect.hasMetadata(PATH_METADATA, exported)) return [];
  const { prototype } = exported as { prototype: Record<string, object> };
  const bases: string[] = [Reflect.getMetadata(PATH_METADATA, exported)].flat();
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name] as object;
    if (!Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
    const paths: string[] = [Reflect.getMetadata(PATH_METADATA, handler)].flat();
    return bases.flatMap((base) =>
      paths.map((path) =>
        `${method} /${[base, path].join('/')}`
          .replace(/\/+/g, '/')
          .replace('::', ':')
          .replace(/(?<=.)\/$/, ''),
      ),
    );
  });
}
