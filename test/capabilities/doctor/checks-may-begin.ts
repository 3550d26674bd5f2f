import { CheckTurns } from '../../../src/capabilities/doctor/check-turns.js';
import { BoundedMap } from '../../../src/platform/bounded-map.js';
import type { TestRelay } from '../../support/relay.js';

/** Clears the times of the last checks, as if 5 s had passed (R26). */
export function checksMayBegin(relay: TestRelay): void {
  Object.assign(relay.get(CheckTurns), { begun: new BoundedMap(100) });
}
