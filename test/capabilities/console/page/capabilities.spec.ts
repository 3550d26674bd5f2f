import { readdirSync } from 'node:fs';
import { CAPABILITIES, isLoaded } from '../../../../console/src/session/capabilities.js';

/** What has no part in the console, besides the console itself. */
const WITHOUT_A_PART = ['console', 'receipts'];

describe('the console shows what is loaded (N33)', () => {
  test('each name is that of a capability, and each capability has a name or no part in the console', () => {
    expect([...CAPABILITIES, ...WITHOUT_A_PART].sort()).toEqual(readdirSync('src/capabilities').sort());
  });

  test.each([
    [['console', 'alerts', 'channels'], true],
    [['console'], false],
    [[], false],
    [undefined, true],
  ])('of a relay that has %j: alerts %p', (loaded, isThere) => {
    expect(isLoaded('alerts', loaded)).toBe(isThere);
  });
});
