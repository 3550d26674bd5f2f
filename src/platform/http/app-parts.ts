import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Adds hooks and routes of a module to the HTTP application, before the routes of controllers are registered.
 * @returns the path that people begin at, to which `/` redirects; undefined: the module has none
 */
export type AppPart = (app: NestFastifyApplication) => string | undefined;

/** What modules add to the HTTP application beside their controllers. A module adds its part in its constructor. */
@Injectable()
export class AppParts {
  private readonly parts: AppPart[] = [];

  add(part: AppPart): void {
    this.parts.push(part);
  }

  /** @returns the paths that people begin at */
  addTo(app: NestFastifyApplication): string[] {
    return this.parts.map((part) => part(app)).filter((path) => path !== undefined);
  }
}
