import { digestsOf } from '../../src/domain/catalogue.js';
import { NO_CODES } from '../../src/domain/pos-codes.js';
import { RestaurantCatalogues } from '../../src/outbox/restaurant-catalogues.js';
import { RestaurantCodes } from '../../src/outbox/restaurant-codes.js';
import type { NewEvent } from '../../src/outbox/store/new-row.js';
import type { PrismaService } from '../../src/platform/database/prisma.service.js';
import type { Log } from '../../src/platform/telemetry/log.js';
import { LossyLine } from '../platform/database/lossy-line.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

/** No tick of the schedule during a test. */
const NEVER = '3600000';
const EAGER = { WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: NEVER };

const lacks = (what: string) =>
  `items: itemCode ${what} is not in the catalogue of the POS; the order is sent all the same`;
const items = (...codes: (string | undefined)[]) =>
  codes.map((itemCode) => ({ itemCode, itemName: 'Coffee', quantity: 1, price: 10 }));

/** The restaurant has this catalogue, from the next statement on. */
async function withCatalogue(database: TestDatabase, id: string, ...codes: string[]): Promise<void> {
  await database.query(
    `WITH begun AS (INSERT INTO pos_catalogues (restaurant_id, products, code_digests, replaced_at) VALUES ($1, $2, decode($3, 'hex'), now()) RETURNING id)
     UPDATE restaurants SET catalogue_id = begun.id FROM begun WHERE restaurants.id = $1`,
    [id, codes.length, Buffer.from(digestsOf(codes).buffer).toString('hex')],
  );
}

/** What the instance began to read is read. */
const isRead = (relay: TestRelay) =>
  (relay.get(RestaurantCatalogues) as unknown as { readonly reading: Promise<void> }).reading;

describe('the catalogue of a restaurant at the door', () => {
  let scenario: Scenario;
  let jobs: Jobs;
  let line: LossyLine;
  let relay: TestRelay;
  let id: string;

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses();
    ({ jobs } = scenario);
    line = new LossyLine();
    relay = await scenario.start({ DATABASE_URL: await line.listen(scenario.database), ...EAGER });
    // a statement of a schedule would be counted
    await relay.quiet();
    id = await relay.createRestaurant();
    for (let first = 0; first < 2; first++) await delivered();
  });
  afterEach(async () => {
    await relay.close();
    line.close();
    await scenario.close();
  });

  const post = async (changes: Record<string, unknown> = {}, by = relay) => {
    const { body } = await by.post(sale(changes)).expect(200);
    await isRead(by);
    return body as { jobId: string; warnings?: string[] };
  };
  const delivered = async (changes: Record<string, unknown> = {}) => {
    const { jobId } = await post(changes);
    await jobs.until(async () => (await jobs.get(jobId)).status === 'SENT');
    return jobId;
  };
  const warningsOf = async (changes: Record<string, unknown>, by = relay) => (await post(changes, by)).warnings;
  const statements = async (act: () => Promise<unknown>) => {
    const before = line.statements;
    await act();
    return line.statements - before;
  };
  const set = (terminalCode: string, posCode: string) =>
    scenario.database.query(
      `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code) VALUES ($1, 'ITEM', $2, $3)`,
      [id, terminalCode, posCode],
    );

  test('a sale whose code it lacks is stored and sent as ever, with a warning that is stored, too; each code once (I17)', async () => {
    const changes = { items: items('A', 'X', 'X', 'Y', undefined) };
    await withCatalogue(scenario.database, id, 'A', 'B');
    // the first sale after the change: the instance does not know it yet
    expect(await warningsOf(changes)).toBeUndefined();
    const { jobId, warnings } = await post(changes);
    expect(warnings).toEqual([lacks('X'), lacks('Y')]);
    await jobs.until(async () => (await jobs.get(jobId)).status === 'SENT');
    const key = await scenario.keyOf(jobId);
    expect(
      await scenario.database.query(`SELECT warnings FROM terminal_events WHERE transaction_key = $1`, [key]),
    ).toEqual([{ warnings }]);
    expect(await warningsOf({ items: items('A', 'B') })).toBeUndefined();
  });

  test('an option that it lacks is warned of without its code, which PAYLOAD_HIDE may hide (I17)', async () => {
    await withCatalogue(scenario.database, id, 'A', 'O');
    const option = (itemCode: string) => ({ itemCode, itemName: 'Milk', quantity: 1, price: 1 });
    const [dish] = items('A');
    const changes = (code: string) => ({ items: [{ ...dish, options: [option(code)] }] });
    await post();
    expect(await warningsOf(changes('O'))).toBeUndefined();
    expect(await warningsOf(changes('SECRET'))).toEqual([
      'items: options of Coffee have an itemCode that is not in the catalogue of the POS; the order is sent all the same',
    ]);
  });

  test('the code at the POS counts, and the default of items without a code (I17)', async () => {
    await withCatalogue(scenario.database, id, 'P-1');
    await set('A', 'P-1');
    await set('B', 'P-2');
    await scenario.database.query(`UPDATE restaurants SET default_item_code = 'MISC' WHERE id = $1`, [id]);
    // its delivery reads the codes
    await delivered();
    const [, ...warnings] = (await warningsOf({ items: items('A', 'B', undefined, ' ') })) ?? [];
    expect(warnings).toEqual([lacks('B, sent as P-2,'), lacks('the default item code MISC')]);
  });

  test('no sale takes a statement more, and one beside the sales reads each catalogue once (I16)', async () => {
    const before = await statements(() => delivered({ items: items('A') }));
    await withCatalogue(scenario.database, id, 'A');
    expect(await statements(() => delivered({ items: items('X') }))).toBe(before + 1);
    for (let again = 0; again < 3; again++)
      expect(await statements(() => delivered({ items: items('X') }))).toBe(before);
    await withCatalogue(scenario.database, id, 'X');
    expect(await statements(() => delivered({ items: items('X') }))).toBe(before + 1);
    expect(await statements(() => delivered({ items: items('X') }))).toBe(before);
  });

  test('a restaurant with more codes than are kept has no warnings, and they are not read again for each sale (I16, L214)', async () => {
    await withCatalogue(scenario.database, id, 'P-1');
    await scenario.database.query(
      `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code) SELECT $1, 'ITEM', 'T' || n, 'P' || n FROM generate_series(1, 1001) n`,
      [id],
    );
    const preload = jest.spyOn(relay.get(RestaurantCodes), 'preload');
    for (let sold = 0; sold < 3; sold++) {
      const { jobId, warnings } = await post({ items: items('LACKED') });
      expect(warnings).toBeUndefined();
      await jobs.until(async () => (await jobs.get(jobId)).status === 'SENT');
    }
    expect(preload.mock.calls.length).toBeLessThanOrEqual(1);
  });

  test('a warning that supposes what another instance has changed meanwhile is left out (I17)', async () => {
    const other = await scenario.start(EAGER);
    other.withoutIntervals();
    const changes = { items: items('X') };
    await withCatalogue(scenario.database, id, 'A');
    for (const by of [relay, other]) await post({}, by);
    for (const by of [relay, other]) expect(await warningsOf(changes, by)).toEqual([lacks('X')]);
    // a code that is set, another catalogue, and none: none of them has a false warning once
    await set('X', 'A');
    for (const by of [relay, other]) expect(await warningsOf(changes, by)).toBeUndefined();
    await withCatalogue(scenario.database, id, 'A', 'X');
    await scenario.database.query(`DELETE FROM pos_codes WHERE restaurant_id = $1`, [id]);
    for (const by of [relay, other]) expect(await warningsOf(changes, by)).toBeUndefined();
    await scenario.database.query(`UPDATE restaurants SET catalogue_id = 0 WHERE id = $1`, [id]);
    for (const by of [relay, other]) expect(await warningsOf({ items: items('Z') }, by)).toBeUndefined();
  });

  test('a catalogue that cannot be read holds up no sale: they have no warning, and the next one tries again (I16)', async () => {
    await withCatalogue(scenario.database, id, 'A');
    await scenario.database.query(`ALTER TABLE pos_catalogues RENAME COLUMN code_digests TO gone`);
    for (let again = 0; again < 2; again++) expect(await warningsOf({ items: items('X') })).toBeUndefined();
    await scenario.database.query(`ALTER TABLE pos_catalogues RENAME COLUMN gone TO code_digests`);
    await post();
    expect(await warningsOf({ items: items('X') })).toEqual([lacks('X')]);
  });
});

describe('what an instance keeps of catalogues', () => {
  const PLACE = { sender: 'terminal', restaurantId: null } as const;

  test('20,000 codes take 160 kB; those used least recently are left out when they take too much (I16, L240)', async () => {
    const read: number[] = [];
    // each takes an eighth of the bound
    const digests = Buffer.from(digestsOf(Array.from({ length: 250_000 }, (_, n) => `C-${n}`)).buffer);
    expect(digests.length).toBe(8 * 250_000);
    const report = async (_: string, [id]: [number]) => {
      read.push(id);
      return [{ digests }];
    };
    const log = { warn: () => undefined } as unknown as Log;
    const codes = { known: () => NO_CODES } as unknown as RestaurantCodes;
    const catalogues = new RestaurantCatalogues({ report } as unknown as PrismaService, codes, log);
    const use = async (...ids: number[]) => {
      for (const catalogueId of ids) {
        const place = { ...PLACE, storeCode: `S-${catalogueId}` };
        const event = { place, sale: { order: { items: [{ code: 'X', name: 'Coffee' }] } } } as unknown as NewEvent;
        catalogues.note(place, { restaurantId: `R-${catalogueId}`, codesVersion: 0, catalogueId });
        await (catalogues as unknown as { reading: Promise<void> }).reading;
        expect(catalogues.warningsOf(event)?.basis).toBe(`R-${catalogueId}/0/${catalogueId}`);
      }
    };
    await use(1, 2, 3, 4, 5, 6, 7, 8, 1);
    expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await use(9, 1, 9);
    expect(read.slice(8)).toEqual([9]);
    await use(2);
    expect(read.slice(9)).toEqual([2]);
  });
});
