import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Log } from '../telemetry/log.js';
import { DatabaseClock } from './clock.js';
import { ClockMarks } from './clock-marks.js';
import { PrismaService } from './prisma.service.js';

@Global()
@Module({
  providers: [
    { provide: PrismaService, useFactory: PrismaService.open, inject: [Config, Log] },
    DatabaseClock,
    ClockMarks,
  ],
  exports: [PrismaService, DatabaseClock, ClockMarks],
})
export class DatabaseModule {}
