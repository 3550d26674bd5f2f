import type { HttpExchange, PosTransport } from '../../../src/pos/http-exchange.js';
import { type Order, orderAtPos } from './orders.js';
import { type ModelPos, REFUSED, type Reply, UNAVAILABLE } from './pos.js';
import type { Fate, Step, Steps } from './steps.js';
import { type Running, running, type SimulatedTime } from './time.js';

/** A call to the POS. */
export interface Call {
  readonly claim: string;
  /** LOOKUP: the POS is asked for the order (D20) */
  readonly action: 'CREATE' | 'CANCEL' | 'LOOKUP';
  readonly order: Order;
  /** ms by the simulated clock */
  readonly deadline: number;
  /** the answer that the instance has got */
  heard?: Reply;
  /** it arrived when nobody could wait for it any more: after its deadline, or after its instance gave up */
  isLate: boolean;
  isAbandoned: boolean;
}

/** POS_ORDER_LOOKUP_PATH: two restaurants have an order of the same key. */
export const LOOKUP_PATH = '/order/{order_id}?cod_store={cod_store}';

const TITLES = { CREATE: 'calls the POS to cook', CANCEL: 'calls the POS to cancel', LOOKUP: 'asks the POS for' };

/** What a line to the POS is told of. */
export interface CallWitness {
  callBegins(call: Call, by: Running): void;
}

/** The way to the POS: each call waits for its fate. */
export class PosLine implements PosTransport {
  readonly calls: Call[] = [];

  constructor(
    private readonly pos: ModelPos,
    private readonly steps: Steps,
    private readonly time: SimulatedTime,
    private readonly timeoutMs: number,
    private readonly witness: CallWitness,
  ) {}

  request(method: string, _: string, path: string, __: object, body?: string): Promise<HttpExchange> {
    if (method === 'GET') {
      const { pathname, searchParams } = new URL(path, 'http://pos');
      return this.call('LOOKUP', `${searchParams.get('cod_store')}/${pathname.slice('/order/'.length)}`);
    }
    const { order_id, cod_store } = JSON.parse(body as string);
    return this.call(path === '/order' ? 'CREATE' : 'CANCEL', `${cod_store}/${order_id}`);
  }

  private call(action: Call['action'], posName: string): Promise<HttpExchange> {
    const of = running.getStore() as Running;
    const call: Call = {
      claim: of.claim as string,
      action,
      order: orderAtPos(posName),
      deadline: this.time.now + this.timeoutMs,
      isLate: false,
      isAbandoned: false,
    };
    this.calls.push(call);
    this.witness.callBegins(call, of);
    const title = `${TITLES[action]} order ${call.order.number}`;
    return new Promise((answer) => {
      const step: Step = {
        kind: 'call',
        of,
        title,
        run: async (fate) => {
          const exchange = this.meet(call, fate, step, answer);
          if (exchange) answer(exchange);
        },
      };
      this.steps.add(step);
    });
  }

  /** @param later is told the answer that is a step of its own @returns how the call ends now; undefined: not yet */
  private meet(call: Call, fate: Fate, step: Step, later: (exchange: HttpExchange) => void): HttpExchange | undefined {
    switch (fate) {
      case 'ok':
        return hear(call, this.arrive(call));
      case 'answer waits': {
        const reply = this.arrive(call);
        const title = `hears the answer for order ${call.order.number}`;
        this.steps.add({ kind: 'answer', of: step.of, title, run: async () => later(hear(call, reply)) });
        return undefined;
      }
      case 'answer lost':
        this.arrive(call);
        return unanswered('UNKNOWN', 'ECONNRESET');
      case 'late':
        call.isAbandoned = true;
        this.time.reach(call.deadline);
        this.steps.setAdrift(step);
        return unanswered('UNKNOWN', 'TIMEOUT');
      case 'lost on the way':
        return unanswered('UNKNOWN', 'ECONNRESET');
      case 'not sent':
        return unanswered('NOT_SENT', 'ECONNREFUSED');
      case 'refused with 422':
        return hear(call, REFUSED);
      case 'met by a 503':
        return hear(call, UNAVAILABLE);
      case 'cooked and met by a 503':
        this.arrive(call);
        return hear(call, UNAVAILABLE);
      default:
        throw new Error(`no such fate: ${fate}`);
    }
  }

  private arrive(call: Call): Reply {
    call.isLate = call.isAbandoned || this.time.now > call.deadline;
    const { posName } = call.order;
    if (call.action === 'LOOKUP') return this.pos.lookUp(posName);
    return call.action === 'CREATE' ? this.pos.create(posName, call.claim) : this.pos.cancel(posName);
  }
}

/** The instance gets an answer: the POS's, or that of something in front of it. */
function hear(call: Call, reply: Reply): HttpExchange {
  call.heard = reply;
  return { kind: 'answered', status: reply.status, body: reply.body, retryAfter: undefined, broken: false };
}

const unanswered = (reach: 'UNKNOWN' | 'NOT_SENT', code: string): HttpExchange => ({
  kind: 'unanswered',
  reach,
  code,
  message: 'simulated',
});
