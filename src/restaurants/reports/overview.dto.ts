import { ApiProperty } from '@nestjs/swagger';
import { RESTAURANT_ROLES, type RestaurantRole } from '../../domain/role.js';
import { CursorPageDto, CursorPageMetaView, MAX_PAGE } from '../../platform/http/fields/cursor-page.js';
import { Integer, ListOf, NullableInstant, NullableText, OneOf, Uuid } from '../../platform/http/fields/fields.js';
import { QueryText } from '../../platform/http/fields/query-fields.js';
import { CountedMoneyView } from './money.dto.js';

/** Which lamp of a restaurant is lit. */
export const LIGHTS = ['good', 'wait', 'bad', 'idle'] as const;
export type RestaurantLight = (typeof LIGHTS)[number];

/** What the set-up of a restaurant lacks, in the order in which it is done. */
export const SETUP_STEPS = ['codeStorePos', 'currency', 'credentials', 'firstPoll', 'firstSale'] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

export class QueryOverviewDto extends CursorPageDto {
  @QueryText(200, 'substring of the name or slug, in any case')
  search?: string;
}

/** One restaurant of the caller, with its current business day. */
export class RestaurantOverviewView extends CountedMoneyView {
  @Uuid() id: string;
  @ApiProperty() name: string;
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole', "the caller's role") role: RestaurantRole;
  @ApiProperty({ example: 'America/Sao_Paulo', description: 'IANA name' }) timezone: string;
  @NullableText('of the amounts, ISO 4217; null: not set', { example: 'BRL' }) currency: string | null;

  @OneOf(
    LIGHTS,
    'RestaurantLight',
    'bad: an order of the day, or its cancel, is parked, or requests with a sender key are refused; wait: an order waits after a failed attempt, or is late; idle: no order yet ' +
      'today; good: none of these',
  )
  light: RestaurantLight;

  @ApiProperty({ format: 'date', description: 'the current business day' }) day: string;
  @Integer('orders received on this day, tests too') orders: number;
  @Integer('the same as refundedCents') refundCents: number;
  @Integer('of the orders, those that are not in the POS: they wait or are parked') notInPos: number;
  @Integer('what was paid for those, without tests, in cents') notInPosCents: number;
  @Integer('parked orders and cancels of earlier days') earlierParked: number;
  @NullableInstant('receipt of the last sale, a test too; null: none has come') lastSaleAt: Date | null;

  @ApiProperty({
    enum: SETUP_STEPS,
    enumName: 'SetupStep',
    isArray: true,
    maxItems: SETUP_STEPS.length,
    description: 'what the set-up still lacks, in the order in which it is done',
  })
  setup: SetupStep[];
}

/** Response of `GET /restaurants/overview`. */
export class OverviewPageView {
  @ListOf(RestaurantOverviewView, MAX_PAGE) data: RestaurantOverviewView[];
  @ApiProperty() meta: CursorPageMetaView;
}
