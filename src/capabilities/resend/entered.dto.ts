import { ApiPropertyOptional } from '@nestjs/swagger';
import { Uuid } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsName } from '../../platform/http/fields/is-name.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';

/** Body of `POST /restaurants/:restaurantId/orders/:transactionKey/entered`. */
export class EnteredDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 200, description: 'for colleagues; the order and the audit keep it' })
  @IfGiven()
  @IsName(200)
  note?: string;
}

class EnteredOrderView {
  @Uuid('the CREATE job of the order') jobId: string;
}

/** Response of `POST /restaurants/:restaurantId/orders/:transactionKey/entered`. */
export class OrderEnteredView extends MessageWith(EnteredOrderView) {}
