import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SessionController } from './session.controller.js';
import { Sessions } from './sessions.js';

/** Sessions of the console. Its files are served by pages.ts, its way into the API is door.ts. */
@Module({ imports: [AuthModule], controllers: [SessionController], providers: [Sessions] })
export class ConsoleModule {}
