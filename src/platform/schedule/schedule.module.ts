import { Global, Module } from '@nestjs/common';
import { ScheduleModule as NestScheduleModule } from '@nestjs/schedule';
import { OldRows } from './old-rows.js';
import { Rounds } from './rounds.js';

/** Background work at intervals. */
@Global()
@Module({ imports: [NestScheduleModule.forRoot()], providers: [Rounds, OldRows], exports: [Rounds, OldRows] })
export class ScheduleModule {}
