import { Module } from '@nestjs/common';
import { PosModule } from '../../pos/pos.module.js';
import { CheckController } from './check.controller.js';
import { CheckService } from './check.service.js';
import { CheckTurns } from './check-turns.js';

/** The check of a restaurant over the API. `main.ts` of this folder is the command that checks the whole deployment. */
@Module({ imports: [PosModule], controllers: [CheckController], providers: [CheckService, CheckTurns] })
export class DoctorModule {}
