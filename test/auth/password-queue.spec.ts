import { PasswordQueue } from '../../src/auth/password-queue.js';
import { Passwords } from '../../src/auth/passwords.js';
import type { Config } from '../../src/config/config.js';
import { ClientGoneError } from '../../src/http/client-gone.js';

const HERE = { address: '192.0.2.1' };
const THERE = { address: '192.0.2.2' };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when `end` is called. */
function hold() {
  const ends: (() => void)[] = [];
  return { work: () => new Promise<void>((resolve) => ends.push(resolve)), end: () => ends.shift()?.() };
}

describe('the queue of password checks (A7)', () => {
  /** A queue with two running checks. */
  function busyQueue() {
    const queue = new PasswordQueue();
    const { work, end } = hold();
    const running = [queue.run(HERE, true, work), queue.run(HERE, true, work)];
    const order: string[] = [];
    const wait = (name: string, sender: Parameters<typeof queue.run>[0], known = true) =>
      queue.run(sender, known, async () => {
        order.push(name);
      });
    const finish = async () => {
      end();
      end();
      await Promise.all(running);
      await settled();
    };
    return { order, wait, finish };
  }

  test('a check of an existing account comes before checks of unknown accounts from other addresses', async () => {
    const { order, wait, finish } = busyQueue();
    for (const name of ['a', 'b', 'c']) void wait(name, HERE, false);
    const known = wait('known', THERE);
    await finish();
    await known;
    expect(order[0]).toBe('known');
  });

  test('checks of one address keep their order, so that it cannot find out which accounts exist (A6)', async () => {
    const { order, wait, finish } = busyQueue();
    const all = [wait('unknown', HERE, false), wait('known', HERE), wait('unknown again', HERE, false)];
    await finish();
    await Promise.all(all);
    expect(order).toEqual(['unknown', 'known', 'unknown again']);
  });

  test('addresses take turns', async () => {
    const { order, wait, finish } = busyQueue();
    const all = [wait('1', HERE), wait('2', HERE), wait('3', HERE), wait('other 1', THERE), wait('other 2', THERE)];
    await finish();
    await Promise.all(all);
    expect(order).toEqual(['1', 'other 1', '2', 'other 2', '3']);
  });

  test('32 wait for each address: the next is a 503 with Retry-After, another address is not refused', async () => {
    const { wait, finish } = busyQueue();
    const all = Array.from({ length: 32 }, (_, i) => wait(String(i), HERE));
    const refused = await wait('one more', HERE).catch((error) => error);
    expect(refused.getStatus()).toBe(503);
    expect(refused.getResponse()).toMatchObject({ code: 'TOO_MANY_PASSWORD_CHECKS', retryAfterSeconds: 5 });
    all.push(wait('other', THERE));
    await finish();
    await Promise.all(all);
  });

  test('64 wait in all: a new address displaces the latest check of the address with most checks', async () => {
    const { wait, finish } = busyQueue();
    const all = Array.from({ length: 32 }, (_, i) => wait(`here ${i}`, HERE));
    const others = Array.from({ length: 32 }, (_, i) => wait(`there ${i}`, THERE));
    const latest = all.pop()?.catch((error) => error.getStatus());
    const newcomer = wait('newcomer', { address: '192.0.2.3' });
    expect(await latest).toBe(503);
    await finish();
    await Promise.all([...all, ...others, newcomer]);
  });

  test('a check whose client disconnects leaves the queue', async () => {
    const { order, wait, finish } = busyQueue();
    const clients = Array.from({ length: 32 }, () => new AbortController());
    const gone = clients.map(({ signal }, i) => wait(`gone ${i}`, { ...HERE, gone: signal }).catch((error) => error));
    for (const client of clients) client.abort();
    for (const error of await Promise.all(gone)) expect(error).toBeInstanceOf(ClientGoneError);
    const next = wait('next', HERE);
    await finish();
    await next;
    expect(order).toEqual(['next']);
  });
});

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('the cache of verified credentials (A8, A9)', () => {
  const sent = { account: 'ana@example.com', password: 'one password of many' };
  const { now } = performance;
  let time: number;
  let stored: string;
  let subject: Passwords;
  /** comparisons by bcrypt, and attempts counted against the limit */
  let compared: number;
  let counted: number;

  class Watched extends Passwords {
    override matches(...sent: Parameters<Passwords['matches']>): Promise<boolean> {
      compared++;
      return super.matches(...sent);
    }
  }

  beforeEach(async () => {
    time = 0;
    performance.now = () => time;
    subject = new Watched({ bcryptCost: 4 } as Config);
    stored = await subject.hash(sent.password);
  });
  afterEach(() => {
    performance.now = now;
  });

  /** @returns whether the credentials are right, were compared, were counted */
  async function send(changes: { password?: string; stored?: string } = {}): Promise<[boolean, boolean, boolean]> {
    compared = counted = 0;
    const right = await subject.matchesCached({ ...sent, stored, ...changes }, HERE, () => counted++);
    return [right, compared > 0, counted > 0];
  }

  const COMPARED_AND_COUNTED = [true, true, true];
  const COMPARED = [true, true, false];
  const REMEMBERED = [true, false, false];

  test('for a minute they are not compared again, for 24 h not counted, and after that both', async () => {
    expect(await send()).toEqual(COMPARED_AND_COUNTED);
    time = MINUTE_MS - 1;
    expect(await send()).toEqual(REMEMBERED);
    time = 24 * HOUR_MS - 1;
    expect(await send()).toEqual(COMPARED);
    time += 24 * HOUR_MS;
    expect(await send()).toEqual(COMPARED_AND_COUNTED);
  });

  test('the minute and the 24 h begin with a comparison; a cache hit does not extend them', async () => {
    await send();
    time = MINUTE_MS - 1;
    expect(await send()).toEqual(REMEMBERED);
    time = MINUTE_MS;
    expect(await send()).toEqual(COMPARED);
    time += MINUTE_MS - 1;
    expect(await send()).toEqual(REMEMBERED);
    // once in less than 24 h: never counted
    for (let day = 0; day < 7; day++) {
      time += 23 * HOUR_MS;
      expect(await send()).toEqual(COMPARED);
    }
  });

  test('wrong credentials are never cached: each attempt is compared and counted', async () => {
    for (let i = 0; i < 3; i++) expect(await send({ password: 'a guess' })).toEqual([false, true, true]);
    await send();
    expect(await send({ password: 'a guess' })).toEqual([false, true, true]);
  });

  test('another stored hash, of another or the same password, is not in the cache', async () => {
    await send();
    expect(await send({ stored: await subject.hash('another password') })).toEqual([false, true, true]);
    expect(await send({ stored: await subject.hash(sent.password) })).toEqual(COMPARED_AND_COUNTED);
  });
});

describe('concurrent checks of the same credentials (A8)', () => {
  const passwords = () => new Passwords({ bcryptCost: 4 } as Config);
  const sent = (account: string, stored?: string) => ({ account, password: 'one password of many', stored });

  test('unknown accounts with one password do not share a comparison (A6)', async () => {
    const subject = passwords();
    let attempts = 0;
    const tries = ['a', 'b', 'c'].map((account) => subject.matchesCached(sent(account), HERE, () => attempts++));
    expect(await Promise.all(tries)).toEqual([false, false, false]);
    expect(attempts).toBe(3);
  });

  test('requests with the same credentials share a comparison', async () => {
    const subject = passwords();
    const stored = await subject.hash('one password of many');
    let attempts = 0;
    const tries = [1, 2, 3].map(() => subject.matchesCached(sent('a', stored), HERE, () => attempts++));
    expect(await Promise.all(tries)).toEqual([true, true, true]);
    expect(attempts).toBe(1);
  });

  test('when one of two clients disconnects, the other gets its answer', async () => {
    const subject = passwords();
    const stored = await subject.hash('one password of many');
    const client = new AbortController();
    const first = subject.matchesCached(sent('a', stored), { ...HERE, gone: client.signal }, () => {});
    const second = subject.matchesCached(sent('a', stored), { ...HERE, gone: new AbortController().signal }, () => {});
    client.abort();
    expect(await second).toBe(true);
    await first;
  });
});
