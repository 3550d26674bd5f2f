import { besideSales } from '../../src/platform/spare-core.js';

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [64, 2],
])('of %i cores, long computing work has %i (L98, L155)', (cores, atOnce) => {
  expect(besideSales(cores)).toBe(atOnce);
});
