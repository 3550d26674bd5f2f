import { PosTokens } from '../../src/pos/tokens.js';
import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { LOOKUP } from '../../tools/simulator/wire.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';
import { relaysOf } from './silent-pos.js';

export const SETTLE_MS = 60_000;
const LEASE_MS = 120_000;

/** The environment of a relay that looks up an order that may have arrived. */
export const ASKS = {
  POS_AFTER_UNKNOWN: 'ask',
  POS_ORDER_LOOKUP_PATH: `${LOOKUP}?cod_store={cod_store}`,
  POS_LOOKUP_SETTLE_MS: String(SETTLE_MS),
};

/** Orders that may have arrived, at a POS that answers look-ups. */
export class AskingScenario {
  readonly jobs: Jobs;
  readonly pos: PosSimulator;
  readonly relay: TestRelay;

  private constructor(
    readonly scenario: Scenario,
    /** the relay to make calls with, while the POS behaves like this */
    readonly relayFor: (behaviour: Behaviour) => TestRelay,
  ) {
    ({ jobs: this.jobs, pos: this.pos, relay: this.relay } = scenario);
  }

  static async open(changes: Record<string, string> = {}): Promise<AskingScenario> {
    const scenario = await Scenario.open({ ...ASKS, ...changes });
    await scenario.relay.createRestaurant();
    return new AskingScenario(scenario, await relaysOf(scenario));
  }

  close(): Promise<void> {
    return this.scenario.close();
  }

  /** The number of calls to the POS during `happens`. */
  async callsOf(happens: () => Promise<unknown>): Promise<{ orders: number; lookups: number; cancels: number }> {
    const { orderCalls, lookupCalls, cancelCalls } = this.pos;
    await happens();
    return {
      orders: this.pos.orderCalls - orderCalls,
      lookups: this.pos.lookupCalls - lookupCalls,
      cancels: this.pos.cancelCalls - cancelCalls,
    };
  }

  /** A sale whose first attempt got no answer. @param arrived whether the POS has the order @returns job id and event key */
  async unknown(arrived: boolean): Promise<{ id: string; key: string }> {
    const id = await this.relay.accept(sale());
    this.pos.behave({ mode: arrived ? 'reset-after' : 'reset', times: 1 });
    await this.relay.tick();
    return { id, key: (await this.jobs.get(id)).event_key };
  }

  /** The settle time passes, then a tick of this relay. */
  async later(id: string, relay = this.relay): Promise<void> {
    await this.jobs.passes(id, SETTLE_MS);
    // as the schedule does: a token that another relay has replaced would cost one more call (T6)
    await relay.get(PosTokens).forgetReplaced();
    await relay.tick();
  }

  /** A tick whose worker dies during a call; the reaper returns the job. @param path of the call */
  async crash(id: string, path: '/order' | typeof LOOKUP, register: 'before' | 'after' = 'after'): Promise<void> {
    this.pos.behave({ mode: 'gate', register, paths: [path] });
    const ticking = this.relay.tick();
    await this.pos.when(() => this.pos.waiting === 1);
    await this.jobs.ageLease(id, LEASE_MS + 1_000);
    await this.relay.reap();
    // the call gets no answer
    await this.pos.down();
    await this.pos.up();
    this.pos.behave({ mode: 'ok' });
    await ticking;
  }
}
