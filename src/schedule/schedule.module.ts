import { Global, Module } from '@nestjs/common';
import { ScheduleModule as NestScheduleModule } from '@nestjs/schedule';
import { Rounds } from './rounds.js';

/** Background work at intervals. */
@Global()
@Module({ imports: [NestScheduleModule.forRoot()], providers: [Rounds], exports: [Rounds] })
export class ScheduleModule {}
