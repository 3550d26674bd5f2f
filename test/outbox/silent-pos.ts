import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { TestRelay } from '../support/relay.js';
import type { Scenario } from '../support/scenario.js';

/** Behaviours that end no call. */
const SILENT: readonly Behaviour['mode'][] = ['hang', 'hang-after', 'trickle'];

/**
 * Starts a second relay, whose POS_TIMEOUT_MS is short. The first relay keeps a long one: a slow machine would end its calls.
 * @returns the relay to make calls with, while the POS behaves like this
 */
export async function relaysOf(scenario: Scenario): Promise<(behaviour: Behaviour) => TestRelay> {
  const hasty = await scenario.start({ POS_BASE_URL: scenario.pos.url, POS_TIMEOUT_MS: '1000' });
  return ({ mode }) => (SILENT.includes(mode) ? hasty : scenario.relay);
}
