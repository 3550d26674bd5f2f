import { Module } from '@nestjs/common';
import './conditions.js';
import { Silence } from './silence.js';

/** Restaurants whose sales have stopped. */
@Module({ providers: [Silence] })
export class SilenceModule {}
