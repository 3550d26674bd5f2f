import { PacedPages } from '../../../src/platform/database/paced-pages.js';

const PACING = { first: 4, most: 200, quickMs: 50, slowMs: 100, rest: { fromMs: 50, times: 4, mostMs: 1_000 } };

describe('pages of a long read (J17, L129)', () => {
  let now = 0;
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  /** @returns the sizes of pages that take so long */
  async function sizes(...times: number[]): Promise<number[]> {
    const pages = new PacedPages({ embeddedStatements: undefined }, PACING);
    const read: number[] = [];
    for (const ms of times)
      await pages.read(async (size) => {
        read.push(size);
        now += ms;
      });
    return read;
  }

  test('grow while they are quick, and shrink to a quarter after a slow one', async () => {
    const expected = [4, 8, 16, 32, 64, 128, 200, 200, 50, 100];
    expect(await sizes(10, 10, 10, 10, 10, 10, 70, 150, 10, 10)).toEqual(expected);
  });

  test('have one row at least', async () => {
    expect((await sizes(...Array(6).fill(5_000))).at(-1)).toBe(1);
  });

  describe('on the embedded database', () => {
    /** How long the read rests after a page of `ms` beside which `others` statements were executed. */
    async function rest(ms: number, others: number, embedded = true): Promise<number | undefined> {
      const prisma = { embeddedStatements: embedded ? 7 : undefined } as { embeddedStatements: number | undefined };
      let rests: number | undefined;
      const pages = new PacedPages(prisma, PACING, async (waited) => {
        rests = waited;
      });
      await pages.read(async () => {
        now += ms;
        if (embedded) prisma.embeddedStatements = 7 + 1 + others;
      });
      return rests;
    }

    test('the read rests after a slow page for which others have waited, by its time and at most for a while', async () => {
      expect(await rest(60, 1)).toBe(240);
      expect(await rest(600, 1)).toBe(1_000);
      expect(await rest(60, 0)).toBeUndefined();
      expect(await rest(40, 3)).toBeUndefined();
      expect(await rest(600, 3, false)).toBeUndefined();
    });
  });
});
