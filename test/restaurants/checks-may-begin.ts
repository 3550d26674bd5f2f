import { BoundedMap } from '../../src/auth/bounded-map.js';
import { CheckTurns } from '../../src/restaurants/check-turns.js';
import type { TestRelay } from '../support/relay.js';

/** As if 5 s had passed since the last check of anything (R26). */
export function checksMayBegin(relay: TestRelay): void {
  Object.assign(relay.get(CheckTurns), { begun: new BoundedMap(100) });
}
