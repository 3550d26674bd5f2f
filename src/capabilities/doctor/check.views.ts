import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ListOf, OneOf } from '../../platform/http/fields/fields.js';
import { LEVELS, type Level } from './check.js';

/** The result of one check of a restaurant (R8). */
export class CheckView {
  @ApiProperty({
    example: 'signIn',
    description:
      'the check: terminalCode, posCode, currency, polling, credentials, pos, signIn, lookup, testCredentials, testSignIn, owner, webhook, late, stuck, ' +
      'parked or timezone',
  })
  name: string;

  @OneOf(LEVELS, 'CheckLevel', '`bad`: orders are refused, lost or delayed') level: Level;
  @ApiProperty({ example: 'SIGN_IN_REFUSED', description: 'the result, as a stable code' }) code: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
    example: { status: 401, errorCode: '901' },
    description: 'the values in the message, by name',
  })
  params: Record<string, string | number | boolean | null>;

  @ApiProperty({ example: 'the POS refuses the credentials: HTTP 401, POS error 901' }) message: string;

  @ApiPropertyOptional({ example: 'correct posIdPartner and posSecret', description: 'the remedy' })
  advice?: string;
}

class ChecksView {
  @ListOf(CheckView, 50) checks: CheckView[];
}

/** Response of `POST /restaurants/:restaurantId/check`. */
export class RestaurantCheckView {
  @ApiProperty() data: ChecksView;
}
