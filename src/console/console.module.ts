import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SessionController } from './session.controller.js';
import { Sessions } from './sessions.js';

/** Sessions of the console. pages.ts serves its files, door.ts gives it access to the API. */
@Module({ imports: [AuthModule], controllers: [SessionController], providers: [Sessions] })
export class ConsoleModule {}
