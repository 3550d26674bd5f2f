import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { TICKET_CODES } from './error-codes.js';
import { AddPrinterDto, PrinterAddedView, PrintersView } from './printers.dto.js';
import { PrintersService } from './printers.service.js';

/** The printers of a restaurant (K3). */
@ApiTags('printers')
@Controller('restaurants/:restaurantId/printers')
export class PrintersController {
  constructor(private readonly printers: PrintersService) {}

  @Post()
  @ForPermission('manage_settings')
  @Does(
    'Adds a printer',
    'Returns the address that is entered in the settings of a Star CloudPRNT printer; it is not shown again. The printer then fetches a ' +
      'ticket of each order that the POS does not have.',
  )
  @ApiCreatedResponse({ type: PrinterAddedView, description: 'the printer, with its address' })
  @Refuses(TICKET_CODES.TOO_MANY_PRINTERS, 'QUOTA_REACHED')
  async addPrinter(@CallerLink() caller: Link, @Body() body: AddPrinterDto): Promise<PrinterAddedView> {
    return { message: 'printer added', data: await this.printers.add(caller, body) };
  }

  @Get()
  @ForPermission('manage_settings')
  @Does('Lists the printers of a restaurant', 'Without their addresses.')
  @ApiOkResponse({ type: PrintersView, description: 'the printers' })
  async listPrinters(@CallerLink() { restaurantId }: Link): Promise<PrintersView> {
    return { data: await this.printers.list(restaurantId) };
  }

  @Delete(':printerId')
  @ForPermission('manage_settings')
  @Does('Removes a printer', 'Its address can no longer be used.')
  @ApiOkResponse({ type: MessageView, description: 'the printer is removed' })
  async removePrinter(@CallerLink() caller: Link, @UuidParam('printerId') printerId: string): Promise<MessageView> {
    await this.printers.remove(caller, printerId);
    return { message: 'printer removed' };
  }
}
