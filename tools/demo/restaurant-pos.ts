import { randomBytes } from 'node:crypto';
import { centsOf, money } from '../simulator/amounts.js';
import { PosSimulator } from '../simulator/simulator.js';
import { NEW_RESTAURANT, POS_PRODUCTS, RESTAURANT, type Trouble } from './evening.js';
import { printable } from './paint.js';

/** Slow enough that the console shows an order as PROCESSING. */
const POS_ANSWERS_AFTER_MS = 400;
const DEFAULT_PORT = 4010;

/** The simulated POS of the restaurant, with the failures of the evening. */
export class RestaurantPos {
  readonly posIdPartner = 'demo-partner';
  readonly posSecret = randomBytes(12).toString('hex');
  readonly simulator: PosSimulator;

  /** @param onTicket called for each order with a summary of its items */
  constructor(onTicket: (orderId: string, meal: string) => void = () => {}) {
    this.simulator = new PosSimulator({
      partners: { [this.posIdPartner]: this.posSecret },
      stores: [RESTAURANT.codeStorePos, NEW_RESTAURANT.codeStorePos],
      products: [...POS_PRODUCTS],
      control: true,
      onOrder: ({ order_id, items, total_amount }) => {
        const meal = items.map(({ quantity, desc_item }) => `${quantity} x ${printable(desc_item)}`).join(', ');
        onTicket(order_id, `${meal}: ${money(centsOf(total_amount))}`);
      },
    });
    this.recover();
  }

  /** Listens on the default port if it is free, else on any port. */
  async open(): Promise<string> {
    return this.simulator.listen(DEFAULT_PORT).catch(() => this.simulator.listen());
  }

  async suffer(trouble: Trouble): Promise<void> {
    if (trouble === 'switched-off') return this.simulator.down();
    if (trouble === 'loses-its-answer') return this.simulator.behave({ mode: 'reset-after' });
    this.simulator.behave({ mode: 'status', status: 503, message: 'the POS is being restarted' });
  }

  async heal(): Promise<void> {
    await this.simulator.up();
    this.recover();
  }

  private recover(): void {
    this.simulator.behave({ mode: 'slow', delayMs: POS_ANSWERS_AFTER_MS });
  }
}
