import { HeldBodies } from '../../../proof/load/bodies.js';
import { FileQueue } from '../../../src/platform/files/file-queue.js';
import { BodyBudget } from '../../../src/platform/http/body/body-budget.js';
import { sale } from '../../support/client.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { FileDesk, lines } from './file-desk.js';

const NEVER = new AbortController().signal;
let references = 0;
const file = () => lines('reference;date;amount', `R-${++references};20/11/2026 19:00:00;1,00`);

describe('work with files', () => {
  const scenario = Scenario.ofSuite();
  let desk: FileDesk;
  let other: FileDesk;
  beforeAll(async () => {
    desk = await FileDesk.open(scenario);
    other = await FileDesk.open(scenario);
  });

  /** Takes the turn of a restaurant. @returns a function that ends it */
  async function occupy(restaurantId: string): Promise<() => Promise<void>> {
    let end = () => {};
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const work = scenario.relay.get(FileQueue).run({ restaurantId }, NEVER, () => {
      begun();
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    await hasBegun;
    const release = () => {
      end();
      return work;
    };
    occupied.push(release);
    return release;
  }
  let occupied: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of occupied) await end();
    occupied = [];
  });
  const waiting = () => scenario.relay.get(BodyBudget).bytes.proven;

  test('an upload that has not arrived holds no turn; another one of its user is a 429 (J1, J16)', async () => {
    const headers = [`Authorization: Bearer ${desk.token}`];
    const held = await HeldBodies.open({
      ...{ url: scenario.relay.url, connections: 1, announced: 1_000, sent: 10, type: 'text/csv' },
      ...{ path: `${desk.path}?name=x`, headers },
    });
    await until(() => waiting() > 0);
    const { body, headers: said } = await desk.upload(file()).expect(429);
    expect([body.code, said['retry-after']]).toEqual(['TOO_MANY_UPLOADS', '5']);
    await other.uploaded(file());
    const { id } = await scenario.relay
      .get(FileQueue)
      .run({ restaurantId: desk.id }, NEVER, () => Promise.resolve({ id: 'free' }));
    expect(id).toBe('free');
    held.close();
    await until(() => waiting() === 0);
    await desk.uploaded(file());
  });

  test('a preview, a file that is not confirmed, and a confirmation wait for their turn (J16)', async () => {
    const { id, mapping } = await desk.uploaded(file());
    // what an account has under way has a bound of its own
    const { token } = await scenario.staff(desk.id, 'MANAGER');
    const end = await occupy(desk.id);
    const asked = [
      scenario.api.post(`${desk.path}/${id}/preview`, desk.token, mapping),
      scenario.api.get(`${desk.path}/${id}`, desk.token),
      desk.confirm(id, mapping),
    ].map((one) => one.then(({ status }) => status));
    await until(() => scenario.relay.get(FileQueue).size === asked.length);
    const refused = await scenario.api.get(`${desk.path}/${id}`, token).expect(429);
    expect(refused).toMatchObject({ headers: { 'retry-after': '5' } });
    await end();
    const statuses = await Promise.all(asked);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    await until(
      async () => (await scenario.api.get(`${desk.path}/${id}`, desk.token)).body.data?.state === 'CONFIRMED',
    );
  });

  test('an upload that waits gives way to other bodies (W43)', async () => {
    const end = await occupy(desk.id);
    const budget = scenario.relay.get(BodyBudget);
    const before = budget.limits.proven;
    const upload = desk.upload(file()).then(({ status, body }) => [status, body.code]);
    await until(() => waiting() > 0);
    budget.limits.proven = waiting();
    await scenario.relay.post(sale());
    budget.limits.proven = before;
    expect(await upload).toEqual([503, 'TOO_MANY_BODIES']);
    await end();
    expect(waiting()).toBe(0);
  });

  test.each<[string, string]>([
    ['line feeds', '\n'],
    ['blanks', ' \n'],
    ['separators', ';;;\n'],
    ['CR LF', '\r\n'],
    ['empty cells in quotes', '"";\n'],
  ])('five megabytes of %s are refused: each line counts as a row (J4, L90)', async (_, line) => {
    const head = 'reference;date;amount\n';
    const content = `${head}${line.repeat(Math.floor(5_242_000 / line.length))}a;2026-11-20;1\n`;
    const { body } = await desk.upload(content).expect(422);
    expect(body.message).toMatch(/^line 500\d\d: the file has more than 50000 rows/);
  });
});
