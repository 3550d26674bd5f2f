import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { addTag } from '../../platform/http/openapi/document.js';
import './conditions.js';
import { PrintController } from './print.controller.js';
import { PrintService } from './print.service.js';
import { PrintTurns } from './print-turns.js';
import { PrintersController } from './printers.controller.js';
import { PrintersService } from './printers.service.js';
import { TicketRounds } from './rounds.js';

addTag('printers', 'The printers of a restaurant, and what a Star CloudPRNT printer calls');

/** Paper for orders that the POS does not have: printers, tickets, and the round that creates them. */
@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [PrintersController, PrintController],
  providers: [PrintersService, PrintService, PrintTurns, TicketRounds],
})
export class TicketsModule {}
