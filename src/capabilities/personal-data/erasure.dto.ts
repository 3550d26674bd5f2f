import { ErasureView } from '../../orders/orders.dto.js';
import { DryRun } from '../../platform/http/fields/dry-run.js';
import { Integer } from '../../platform/http/fields/fields.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';

/** Response of `POST /restaurants/:restaurantId/orders/:transactionKey/erase`. */
export class OrderErasedView extends MessageWith(ErasureView) {}

/** Body of `POST /restaurants/:restaurantId/parked/erase`. */
export class EraseDto {
  @DryRun()
  dryRun = false;
}

class ErasedCountView {
  @Integer('orders older than this count: OUTBOX_RETENTION_DAYS, or 365 without it') days: number;
  @Integer('parked and withdrawn orders that match; at most 10,000 are counted') matched: number;
  @Integer('those that this call erased; one call erases at most 10,000') erased: number;
}

/** Response of `POST /restaurants/:restaurantId/parked/erase`. */
export class OrdersErasedView extends MessageWith(ErasedCountView) {}
