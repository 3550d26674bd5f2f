import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PosOrder, PosOrderItem } from '../domain/pos-order.js';

/** An answer of the POS, before it goes out over HTTP. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the kitchen knows of an accepted order. */
export interface KitchenOrder {
  readonly order: PosOrder;
  /** how many times the kitchen got it: more than once is a meal too many */
  cooked: number;
  /** how many requests named it, those that were refused or misbehaved upon included */
  requests: number;
  cancelled: boolean;
  readonly acceptedAt: Date;
}

export interface KitchenRules {
  /** known `cod_store`; undefined: every store is known */
  readonly stores?: readonly string[];
  /** known `integration_code`; undefined: every product is known */
  readonly products?: readonly string[];
  /** false: a duplicate `order_id` is accepted, and cooked again */
  readonly refuseDuplicates: boolean;
}

/** The `errorCode` of the POS's refusals. */
export const ERROR = {
  FIELD: 100,
  SUMS: 200,
  UNKNOWN_STORE: 300,
  UNKNOWN_PRODUCT: 310,
  UNKNOWN_ORDER: 404,
  ALREADY_CANCELLED: 409,
  TOO_LARGE: 413,
  CREDENTIALS: 901,
  TOKEN: 902,
  DUPLICATE: 904,
} as const;

/** The POS's error body, `{errorCode, message}`. */
export function refusal(status: number, errorCode: number, message: string): Reply {
  return { status, body: { errorCode, message } };
}

/** Who may order: partners, their secrets and the tokens they signed in for. */
export class TokenDesk {
  private readonly tokens = new Map<string, { partner: string; endsAt: number }>();

  constructor(
    private readonly rules: {
      /** partner id -> secret */
      readonly partners: Readonly<Record<string, string>>;
      readonly ttlSeconds: number;
      /** true: a new token ends the partner's earlier ones */
      readonly singleSession: boolean;
      readonly requireToken: boolean;
      readonly now: () => Date;
    },
  ) {}

  /** `POST /auth` */
  signIn(headers: IncomingHttpHeaders): Reply {
    const refused = this.checkCredentials(headers);
    if (refused) return refused;
    const partner = String(headers['id-partner']);
    const now = this.rules.now().getTime();
    for (const [token, { partner: owner, endsAt }] of this.tokens)
      if (endsAt <= now || (this.rules.singleSession && owner === partner)) this.tokens.delete(token);
    const token = randomUUID();
    this.tokens.set(token, { partner, endsAt: now + this.rules.ttlSeconds * 1_000 });
    return { status: 200, body: { token, expires_in: this.rules.ttlSeconds } };
  }

  /** The refusal of a call that is not signed in; undefined when it is. */
  check(headers: IncomingHttpHeaders): Reply | undefined {
    return this.checkCredentials(headers) ?? (this.rules.requireToken ? this.checkToken(headers) : undefined);
  }

  /** Every token issued so far is refused from now on. */
  revoke(): void {
    this.tokens.clear();
  }

  private checkCredentials(headers: IncomingHttpHeaders): Reply | undefined {
    const partner = String(headers['id-partner']);
    const known = Object.hasOwn(this.rules.partners, partner) && this.rules.partners[partner] === headers.secret;
    return known ? undefined : refusal(401, ERROR.CREDENTIALS, 'id-partner or secret is wrong');
  }

  private checkToken(headers: IncomingHttpHeaders): Reply | undefined {
    const token = this.tokens.get(/^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '');
    if (!token || token.partner !== headers['id-partner']) return refusal(401, ERROR.TOKEN, 'token missing or unknown');
    return token.endsAt > this.rules.now().getTime() ? undefined : refusal(401, ERROR.TOKEN, 'token expired');
  }
}

/** Takes orders and cancels them, by the rules of a POS; in memory. */
export class Kitchen {
  /** accepted orders by `order_id` */
  readonly orders = new Map<string, KitchenOrder>();
  private readonly requests = new Map<string, number>();

  constructor(
    private readonly rules: KitchenRules,
    private readonly now: () => Date,
  ) {}

  /** Counts a request for an order, whatever becomes of it. */
  count(body: unknown): void {
    if (!isRecord(body) || typeof body.order_id !== 'string') return;
    const requests = (this.requests.get(body.order_id) ?? 0) + 1;
    this.requests.set(body.order_id, requests);
    const known = this.orders.get(body.order_id);
    if (known) known.requests = requests;
  }

  /** `POST /order`: 200 `{orderId, status}`, or the refusal. */
  accept(body: unknown): Reply {
    const wrong = orderProblem(body);
    if (wrong) return refusal(400, ERROR.FIELD, wrong);
    const order = body as PosOrder;
    const refused = this.checkCatalogue(order) ?? checkSums(order) ?? this.checkDuplicate(order);
    if (refused) return refused;
    this.cook(order);
    return { status: 200, body: { orderId: order.order_id, status: 'ACCEPTED' } };
  }

  /** `POST /cancel-order` `{order_id, cod_store}`: 200 `{orderId, status}`, or the refusal. */
  cancel(body: unknown): Reply {
    const wrong = recordProblem(body, { order_id: text, cod_store: text }, '');
    if (wrong) return refusal(400, ERROR.FIELD, wrong);
    const { order_id, cod_store } = body as { order_id: string; cod_store: string };
    const known = this.orders.get(order_id);
    // A store sees its own orders only.
    if (known?.order.cod_store !== cod_store)
      return refusal(404, ERROR.UNKNOWN_ORDER, `order_id: ${order_id} is unknown in store ${cod_store}`);
    if (known.cancelled) return refusal(400, ERROR.ALREADY_CANCELLED, `order_id: ${order_id} is already cancelled`);
    known.cancelled = true;
    return { status: 200, body: { orderId: order_id, status: 'CANCELLED' } };
  }

  private checkCatalogue({ cod_store, items }: PosOrder): Reply | undefined {
    const { stores, products } = this.rules;
    if (stores && !stores.includes(cod_store))
      return refusal(400, ERROR.UNKNOWN_STORE, `cod_store: ${cod_store} is unknown`);
    const unknown = items.findIndex((item) => products && !products.includes(item.integration_code));
    if (unknown < 0) return undefined;
    const code = items[unknown]?.integration_code;
    return refusal(422, ERROR.UNKNOWN_PRODUCT, `items[${unknown}].integration_code: ${code} is unknown`);
  }

  private checkDuplicate({ order_id }: PosOrder): Reply | undefined {
    if (!this.rules.refuseDuplicates || !this.orders.has(order_id)) return undefined;
    return refusal(400, ERROR.DUPLICATE, `order_id: ${order_id} was already accepted`);
  }

  private cook(order: PosOrder): void {
    const known = this.orders.get(order.order_id);
    if (known) known.cooked += 1;
    else
      this.orders.set(order.order_id, {
        order,
        cooked: 1,
        requests: this.requests.get(order.order_id) ?? 1,
        cancelled: false,
        acceptedAt: this.now(),
      });
  }
}

/**
 * Line total in cents: quantity x unit_price, rounded half up. Worked out here rather than with the relay's own money
 * functions, so that the simulator is a second opinion on them.
 */
export function lineCents({ quantity, unit_price }: Pick<PosOrderItem, 'quantity' | 'unit_price'>): bigint {
  const [quantityUnits, quantityScale] = exact(quantity);
  const [priceUnits, priceScale] = exact(unit_price);
  return roundHalfUp(quantityUnits * priceUnits, quantityScale + priceScale - 2);
}

/** Currency units -> cents: 12.34 -> 1234n. */
export function centsOf(amount: number): bigint {
  const [units, scale] = exact(amount);
  return roundHalfUp(units, scale - 2);
}

/** Cents -> the text of currency units: 1234n -> "12.34". */
export function money(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function checkSums(order: PosOrder): Reply | undefined {
  const total = centsOf(order.total_amount);
  const paid = add(order.payment_types.map(({ amount }) => centsOf(amount)));
  if (paid !== total)
    return refusal(400, ERROR.SUMS, `payment_types: add up to ${money(paid)}, total_amount is ${money(total)}`);
  const owed = add(order.items.map(lineCents)) + centsOf(order.total_increase) - centsOf(order.total_discount);
  if (owed === total) return undefined;
  const sums = `items + total_increase - total_discount is ${money(owed)}, total_amount is ${money(total)}`;
  return refusal(400, ERROR.SUMS, `items: ${sums}`);
}

function add(cents: readonly bigint[]): bigint {
  return cents.reduce((sum, part) => sum + part, 0n);
}

/** A non-negative value = units / 10^scale, exactly: read from its shortest decimal text, which is what was sent. */
function exact(value: number): [units: bigint, scale: number] {
  const parts = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  const [, whole = '0', fraction = '', exponent = '0'] = parts ?? [];
  return [BigInt(whole + fraction), fraction.length - Number(exponent)];
}

function roundHalfUp(units: bigint, scale: number): bigint {
  if (scale <= 0) return units * 10n ** BigInt(-scale);
  const one = 10n ** BigInt(scale);
  return (units * 2n + one) / (one * 2n);
}

/** What is wrong with a value; undefined when nothing is. */
type Check = (value: unknown) => string | undefined;

const must =
  (be: string, holds: (value: unknown) => boolean): Check =>
  (value) =>
    holds(value) ? undefined : `must be ${be}`;

const text = must('a non-empty string', (value) => typeof value === 'string' && value.trim() !== '');
const anyText = must('a string', (value) => typeof value === 'string');
const instant = must('an ISO 8601 time', (value) => typeof value === 'string' && isInstant(value));
const amount = must(
  'a number of whole cents, not negative',
  (value) => typeof value === 'number' && /^\d+(\.\d{1,2})?$/.test(String(value)),
);
const price = must('a number, not negative', (value) => Number.isFinite(value) && (value as number) >= 0);
const quantity = must('a number greater than zero', (value) => Number.isFinite(value) && (value as number) > 0);
const list = must('a list', Array.isArray);
const filledList = must('a list of at least one entry', (value) => Array.isArray(value) && value.length > 0);

const ORDER: Record<keyof PosOrder, Check> = {
  order_id: text,
  cod_store: text,
  created_at: instant,
  total_amount: amount,
  total_discount: amount,
  total_increase: amount,
  items: filledList,
  payment_types: list,
};
// An item without a code is the catalogue's business, not the form's.
const ITEM: Record<keyof PosOrderItem, Check> = {
  integration_code: anyText,
  desc_item: anyText,
  quantity,
  unit_price: price,
};
const PAYMENT = { code: text, amount };

function orderProblem(body: unknown): string | undefined {
  const wrong = recordProblem(body, ORDER, '');
  if (wrong) return wrong;
  const { items, payment_types } = body as PosOrder;
  return listProblem(items, ITEM, 'items') ?? listProblem(payment_types, PAYMENT, 'payment_types');
}

function listProblem(entries: readonly unknown[], checks: Record<string, Check>, name: string): string | undefined {
  for (const [index, entry] of entries.entries()) {
    const wrong = recordProblem(entry, checks, `${name}[${index}]`);
    if (wrong) return wrong;
  }
  return undefined;
}

function recordProblem(value: unknown, checks: Record<string, Check>, path: string): string | undefined {
  if (!isRecord(value)) return path ? `${path}: must be an object` : 'body: must be a JSON object';
  for (const [field, check] of Object.entries(checks)) {
    const name = path ? `${path}.${field}` : field;
    if (value[field] === undefined || value[field] === null) return `${name}: is required`;
    const wrong = check(value[field]);
    if (wrong) return `${name}: ${wrong}`;
  }
  return undefined;
}

function isInstant(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value));
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
