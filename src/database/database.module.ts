import { Global, Module } from '@nestjs/common';
import { Config } from '../config.js';
import { Log } from '../log.js';
import { Prisma } from './prisma.js';

@Global()
@Module({
  providers: [{ provide: Prisma, useFactory: Prisma.open, inject: [Config, Log] }],
  exports: [Prisma],
})
export class DatabaseModule {}
