/** An order as the kitchen sees it. */
export interface PosOrder {
  /** the claims whose calls were cooked, in the order of their arrival: more than one is a double */
  readonly cookedFor: string[];
  /** cooked, and not cancelled since */
  isAlive: boolean;
}

/** What a POS answers. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

const ok: Reply = { status: 200, body: '{}' };
const DUPLICATE: Reply = { status: 400, body: JSON.stringify({ errorCode: 904, message: 'duplicate order' }) };
const NOTHING_TO_CANCEL: Reply = { status: 404, body: JSON.stringify({ errorCode: 404, message: 'no such order' }) };
const NOT_FOUND: Reply = { status: 404, body: '' };
export const REFUSED: Reply = { status: 422, body: JSON.stringify({ errorCode: 310, message: 'refused' }) };
export const UNAVAILABLE: Reply = { status: 503, body: '' };

/** A model of a POS that does as it is told, at once. Orders are named `store/order_id`. */
export class ModelPos {
  private readonly orders = new Map<string, PosOrder>();

  /** @param refusesDuplicates false: an order that comes twice is cooked twice */
  constructor(readonly refusesDuplicates: boolean) {}

  /** What it knows of an order, as a look-up would tell; undefined: it never came. */
  find(name: string): PosOrder | undefined {
    return this.orders.get(name);
  }

  /** Its answer to who asks for an order (D20). */
  lookUp(name: string): Reply {
    return this.orders.has(name) ? ok : NOT_FOUND;
  }

  create(name: string, claim: string): Reply {
    const known = this.orders.get(name);
    if (known && this.refusesDuplicates) return DUPLICATE;
    if (known) {
      known.cookedFor.push(claim);
      known.isAlive = true;
    } else this.orders.set(name, { cookedFor: [claim], isAlive: true });
    return ok;
  }

  /** It throws the order away, and knows nothing of it. */
  discard(name: string): void {
    this.orders.delete(name);
  }

  cancel(name: string): Reply {
    const known = this.orders.get(name);
    if (!known?.isAlive) return NOTHING_TO_CANCEL;
    known.isAlive = false;
    return ok;
  }
}
