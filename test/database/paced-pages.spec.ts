import { PayloadPages } from '../../src/terminal-files/sales-reader.js';

describe('pages of sales whose payloads are searched (J17)', () => {
  test('grow while they are quick, and shrink to a quarter after a slow one', () => {
    const pages = new PayloadPages();
    const sizes = [10, 10, 10, 10, 10, 10, 70, 150, 10].map((ms) => {
      pages.took(ms);
      return pages.size;
    });
    expect(sizes).toEqual([8, 16, 32, 64, 128, 200, 200, 50, 100]);
  });

  test('have one sale at least', () => {
    const pages = new PayloadPages();
    for (let i = 0; i < 5; i++) pages.took(5_000);
    expect(pages.size).toBe(1);
  });
});
