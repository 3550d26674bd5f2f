import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { Config } from '../../platform/config/config.js';
import { AppParts } from '../../platform/http/app-parts.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { openConsoleDoor } from './door.js';
import { servePages } from './pages.js';
import { SessionController } from './session.controller.js';
import { Sessions } from './sessions.js';

addTag('console', 'The session of the web console at /console/, which calls every other route below /console/api');

/** The console: its sessions, its access to the API (door.ts) and its files (pages.ts). */
@Module({ imports: [AuthModule], controllers: [SessionController], providers: [Sessions] })
export class ConsoleModule {
  constructor(parts: AppParts, config: Config) {
    parts.add((app) => {
      openConsoleDoor(app);
      return servePages(app, config.consoleFolder) ? '/console/' : undefined;
    });
  }
}
