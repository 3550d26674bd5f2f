import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { Instant, ListOf, NullableInstant, NullableText, Uuid } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsName } from '../../platform/http/fields/is-name.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';
import { TICKET_WIDTHS, type TicketWidth } from './rules/ticket.js';

const MAX_NAME = 60;
/** The most printers of a restaurant (L33). */
export const MAX_PRINTERS = 10;

/** Body of `POST /restaurants/:restaurantId/printers`. */
export class AddPrinterDto {
  @ApiProperty({ example: 'Kitchen', minLength: 1, maxLength: MAX_NAME })
  @IsName(MAX_NAME)
  name: string;

  @ApiPropertyOptional({
    type: 'integer',
    enum: TICKET_WIDTHS,
    enumName: 'TicketWidth',
    default: 48,
    description: 'characters of a line',
  })
  @IfGiven()
  @IsIn(TICKET_WIDTHS)
  width: TicketWidth = 48;
}

/** A printer of a restaurant. */
export class PrinterView {
  @Uuid() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: 'integer', enum: TICKET_WIDTHS, enumName: 'TicketWidth' }) width: number;
  @NullableText('what it last said of itself', { example: '200 OK' }) status: string | null;
  @NullableInstant('to within 10 s; null: it has not asked yet') lastPollAt: Date | null;
  @ApiProperty({ description: 'it has asked before, and has not for 90 s' }) away: boolean;
  @Instant() createdAt: Date;
}

/** A new printer, as returned once. */
class NewPrinterView extends PrinterView {
  @ApiProperty({
    description: 'for the settings of the printer; not shown again, and only its digest is stored',
    example: 'https://relay.example.com/print/prn_…',
  })
  address: string;
}

/** Response of `POST /restaurants/:restaurantId/printers`. */
export class PrinterAddedView extends MessageWith(NewPrinterView) {}

/** Response of `GET /restaurants/:restaurantId/printers`. */
export class PrintersView {
  @ListOf(PrinterView, MAX_PRINTERS, 'the oldest first') data: PrinterView[];
}

/** The answer to a poll (Star CloudPRNT). */
export class PollAnswerView {
  @ApiProperty() jobReady: boolean;
  @ApiPropertyOptional({ type: [String], maxItems: 1 }) mediaTypes?: string[];
  @ApiPropertyOptional({ description: 'the id of the ticket' }) jobToken?: string;
}
