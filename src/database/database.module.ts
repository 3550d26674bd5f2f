import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Log } from '../telemetry/log.js';
import { PrismaService } from './prisma.service.js';

@Global()
@Module({
  providers: [{ provide: PrismaService, useFactory: PrismaService.open, inject: [Config, Log] }],
  exports: [PrismaService],
})
export class DatabaseModule {}
