import { isLoaded } from '../../../../console/src/session/capabilities.js';

describe('the console shows what is loaded (N33)', () => {
  test.each([
    [['console', 'alerts', 'channels'], true],
    [['console'], false],
    [[], false],
    [undefined, true],
  ])('of a relay that has %j: alerts %p', (loaded, isThere) => {
    expect(isLoaded('alerts', loaded)).toBe(isThere);
  });
});
