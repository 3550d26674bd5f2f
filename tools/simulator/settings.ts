import type { KitchenOrder } from './kitchen.js';
import type { PosOrder, PosPath, Reply } from './wire.js';

/** The data and the rules of a simulated POS. */
export interface PosSimulatorOptions {
  /** accepted credentials, partner id -> secret; default `demo-partner`: `demo-secret` */
  readonly partners?: Readonly<Record<string, string>>;
  /** known `cod_store`; default: every store is known */
  readonly stores?: readonly string[];
  /** known `integration_code`; default: every product is known */
  readonly products?: readonly string[];
  /** prefix of each token; default: none */
  readonly tokenPrefix?: string;
  /** default 3000 */
  readonly tokenTtlSeconds?: number;
  /** true: a sign-in makes the partner's earlier tokens invalid; default false */
  readonly singleSession?: boolean;
  /** true: behaviour can be read and set over HTTP under `/simulator`; default false */
  readonly control?: boolean;
  readonly onOrder?: (order: PosOrder, info: KitchenOrder) => void;
  readonly onCancel?: (order: PosOrder, info: KitchenOrder) => void;
  /** called for each call that the rules refuse; not for a misbehaviour */
  readonly onRefusal?: (path: PosPath, reply: Reply) => void;
  readonly now?: () => Date;
}
