import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { addTag } from '../http/openapi.js';
import { SessionController } from './session.controller.js';
import { Sessions } from './sessions.js';

addTag('console', 'The session of the web console at /console/, which calls every other route below /console/api');

/** The sessions of the console. pages.ts serves the files of the console; door.ts gives the console access to the API. */
@Module({ imports: [AuthModule], controllers: [SessionController], providers: [Sessions] })
export class ConsoleModule {}
