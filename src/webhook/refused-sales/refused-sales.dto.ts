import { ApiProperty } from '@nestjs/swagger';
import { COMPARED, type Compared } from '../../domain/same-sale.js';
import { KEY_LENGTH } from '../../outbox/job.views.js';
import { CursorPageMetaView, MAX_PAGE } from '../../platform/http/fields/cursor-page.js';
import { Instant, Integer, ListOf, NullableText, Uuid } from '../../platform/http/fields/fields.js';

/** A sale that was not registered, because another one is stored under its key (W46). */
export class RefusedSaleView {
  @Uuid() id: string;

  @ApiProperty({ maxLength: KEY_LENGTH, description: 'of the sale, and of the order that is stored under it' })
  transactionKey: string;

  @NullableText("the terminal's number of the sale", { maxLength: 255 }) transactionNumber: string | null;
  @Instant('when it came first') receivedAt: Date;
  @Instant('when it came last') lastAt: Date;
  @Integer('how often it came') times: number;

  @ApiProperty({
    enum: COMPARED,
    enumName: 'ComparedField',
    isArray: true,
    maxItems: COMPARED.length,
    description: 'in what it differs from the stored sale',
  })
  differs: Compared[];

  @Integer('what it would add to the takings: what was paid; of a refund what was paid back, below zero')
  netCents: number;

  @ApiProperty({ description: 'whether its content was erased with that of the stored sale' }) erased: boolean;
}

/** One page of refused sales, the newest first. */
export class RefusedSalePageView {
  @ListOf(RefusedSaleView, MAX_PAGE) data: RefusedSaleView[];
  @ApiProperty() meta: CursorPageMetaView;
}

/** A refused sale, with what the terminal sent. */
export class RefusedSaleDetailView extends RefusedSaleView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'as the terminal sent it, without credentials and card numbers',
  })
  event: Record<string, unknown>;

  @ListOf(String, 50, 'the fields of `event`, as dot paths, that only OWNERs see (PAYLOAD_HIDE); others get `[hidden]`')
  hidden: string[];
}
