import type { KitchenOrder } from './kitchen.js';
import type { PosOrder, PosPath, Reply } from './wire.js';

/** What a simulated POS knows and how strict it is. */
export interface PosSimulatorOptions {
  /** accepted credentials, partner id -> secret; default `demo-partner`: `demo-secret` */
  readonly partners?: Readonly<Record<string, string>>;
  /** known `cod_store`; default: every store is known */
  readonly stores?: readonly string[];
  /** known `integration_code`; default: every product is known */
  readonly products?: readonly string[];
  /** what each token begins with; default: nothing */
  readonly tokenPrefix?: string;
  /** default 3000 */
  readonly tokenTtlSeconds?: number;
  /** true: signing in ends the partner's earlier tokens; default false */
  readonly singleSession?: boolean;
  /** false: a duplicate `order_id` is accepted and cooked again; default true */
  readonly refuseDuplicates?: boolean;
  /** false: `id-partner` and `secret` are enough to order; default true */
  readonly requireToken?: boolean;
  /** true: behaviour can be read and set over HTTP under `/simulator`; default false */
  readonly control?: boolean;
  readonly onOrder?: (order: PosOrder, info: KitchenOrder) => void;
  readonly onCancel?: (order: PosOrder, info: KitchenOrder) => void;
  /** a call that was refused by the rules, not by a misbehaviour */
  readonly onRefusal?: (path: PosPath, reply: Reply) => void;
  readonly now?: () => Date;
}
