import { KnownAddresses } from '../../src/auth/known-addresses.js';
import { PasswordQueue, type PasswordSender, Standing } from '../../src/auth/password-queue.js';
import { Passwords } from '../../src/auth/passwords.js';
import type { Config } from '../../src/platform/config/config.js';
import { ClientGoneError } from '../../src/platform/http/client-gone.js';
import { AT_ONCE } from '../../src/platform/spare-core.js';

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
    const queue = new PasswordQueue(2);
    const { work, end } = hold();
    const running = [queue.run(HERE, Standing.Account, work), queue.run(HERE, Standing.Account, work)];
    const order: string[] = [];
    const wait = (name: string, sender: PasswordSender, standing: Standing = Standing.Account) =>
      queue.run(sender, standing, async () => {
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

  const [A, S] = [Standing.Account, Standing.Stranger];
  test.each<[string, [name: string, sender: PasswordSender, standing: Standing][], order: string[]]>([
    [
      'a check of an existing account comes before those of unknown accounts from other addresses',
      [...['a', 'b', 'c'].map((name): [string, PasswordSender, Standing] => [name, HERE, S]), ['known', THERE, A]],
      ['known', 'a', 'b', 'c'],
    ],
    [
      'checks of one address keep their order, so that it cannot find out which accounts exist (A6)',
      [
        ['unknown', HERE, S],
        ['known', HERE, A],
        ['unknown again', HERE, S],
      ],
      ['unknown', 'known', 'unknown again'],
    ],
    [
      'addresses take turns',
      [
        ['1', HERE, A],
        ['2', HERE, A],
        ['3', HERE, A],
        ['other 1', THERE, A],
        ['other 2', THERE, A],
      ],
      ['1', 'other 1', '2', 'other 2', '3'],
    ],
  ])('%s', async (_, checks, expected) => {
    const { order, wait, finish } = busyQueue();
    const all = checks.map((check) => wait(...check));
    await finish();
    await Promise.all(all);
    expect(order).toEqual(expected);
  });

  test.each<[string, (i: number) => PasswordSender, more: PasswordSender, others: PasswordSender[]]>([
    ['each address', () => HERE, HERE, [THERE]],
    [
      'the addresses of one IPv6 network (A7)',
      (i) => ({ address: `2001:db8:1:2::${i + 1}` }),
      { address: '2001:db8:1:2:ffff::1' },
      [{ address: '2001:db8:1:3::1' }],
    ],
    [
      'a user who is signed in, at each address; people at the same address keep their places (A7)',
      (i) => ({ ...(i % 2 ? HERE : THERE), account: 'a' }),
      { address: '192.0.2.9', account: 'a' },
      [{ ...HERE, account: 'b' }, HERE],
    ],
  ])('32 wait for %s: the next is a 503 with Retry-After, others are not refused', async (_, sender, more, others) => {
    const { wait, finish } = busyQueue();
    const all = Array.from({ length: 32 }, (_, i) => wait(String(i), sender(i)));
    const refused = await wait('one more', more).catch((error) => error);
    expect(refused.getStatus()).toBe(503);
    expect(refused.getResponse()).toMatchObject({ code: 'TOO_MANY_PASSWORD_CHECKS', retryAfterSeconds: 5 });
    all.push(...others.map((other) => wait('other', other)));
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

  /** @returns 64 checks, each from an address of its own; each is its name, or the status of its refusal */
  const crowd = (wait: ReturnType<typeof busyQueue>['wait'], standing: (i: number) => Standing) =>
    Array.from({ length: 64 }, (_, i) =>
      wait(`crowd ${i}`, { address: `198.51.100.${i}` }, standing(i)).then(
        () => 'checked',
        (error) => error.getStatus(),
      ),
    );
  const newcomer = { address: '203.0.113.1' };

  test('64 addresses of unknown accounts: an account that exists displaces the latest of them, one more stranger none (A7)', async () => {
    const { order, wait, finish } = busyQueue();
    const strangers = crowd(wait, () => Standing.Stranger);
    await expect(wait('stranger', newcomer, Standing.Stranger)).rejects.toMatchObject({ status: 503 });
    const account = wait('account', newcomer);
    const known = wait('known', { address: '203.0.113.2' }, Standing.Known);
    expect(await Promise.all(strangers.slice(-2))).toEqual([503, 503]);
    await finish();
    await Promise.all([account, known]);
    expect(new Set(await Promise.all(strangers.slice(0, -2)))).toEqual(new Set(['checked']));
    expect(order.slice(0, 2)).toEqual(['known', 'account']);
  });

  test('the least known is displaced first; an address from which the password was right is refused only among its like (A7)', async () => {
    const { wait, finish } = busyQueue();
    const checks = crowd(wait, (i) => (i === 0 ? Standing.Stranger : i === 1 ? Standing.Account : Standing.Known));
    const known = [1, 2].map((i) => wait(`known ${i}`, { address: `203.0.113.${i}` }, Standing.Known));
    expect(await Promise.all(checks.slice(0, 2))).toEqual([503, 503]);
    for (const standing of [Standing.Known, Standing.Account, Standing.Stranger])
      await expect(wait('one more', { address: '203.0.113.3' }, standing)).rejects.toMatchObject({ status: 503 });
    await finish();
    await Promise.all([...known, ...checks]);
  });

  test('the checks of an address with many are not displaced by less known ones, however many their addresses (A7)', async () => {
    const { wait, finish } = busyQueue();
    const terminals = Array.from({ length: 32 }, (_, i) => wait(`terminal ${i}`, HERE, Standing.Known));
    const answers = crowd(wait, () => Standing.Stranger);
    await finish();
    await Promise.all(terminals);
    expect((await Promise.all(answers)).filter((answer) => answer === 503)).toHaveLength(32);
  });

  test('one core is left to the sales (L155)', async () => {
    const queue = new PasswordQueue();
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 4 }, () =>
      queue.run(HERE, Standing.Known, () => new Promise<void>((resolve) => ends.push(resolve))),
    );
    expect(ends).toHaveLength(AT_ONCE);
    for (let ended = 0; ended < all.length; ended++) {
      ends[ended]?.();
      await settled();
    }
    await Promise.all(all);
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

describe('the rest after failed checks (A7, L171)', () => {
  const { now } = performance;
  let time: number;
  let wake: () => void;
  let restMs: number | undefined;

  beforeEach(() => {
    time = 1_000;
    restMs = undefined;
    performance.now = () => time;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((then: () => void, ms: number) => {
      restMs = ms;
      wake = () => {
        time += ms;
        then();
      };
      return 0;
    }) as never);
  });
  afterEach(() => {
    performance.now = now;
    jest.restoreAllMocks();
  });

  /** A check that takes this time, ms. */
  const check = (queue: PasswordQueue, standing: Standing, isGood: boolean, { tookMs = 100, sender = HERE } = {}) => {
    const work = async () => {
      time += tookMs;
    };
    return queue.run(sender, standing, work, () => isGood);
  };

  test.each([Standing.Stranger, Standing.Account, Standing.Doubtful])(
    'after a failed check one of standing %d waits as long as it took; a known one does not',
    async (standing) => {
      const queue = new PasswordQueue(1);
      await check(queue, standing, false);
      let began = false;
      const waits = queue.run(THERE, standing, async () => {
        began = true;
      });
      await settled();
      expect([began, restMs]).toEqual([false, 100]);
      await check(queue, Standing.Known, true, { tookMs: 0 });
      expect(began).toBe(false);
      wake();
      await waits;
      expect(began).toBe(true);
    },
  );

  test('nobody rests after a good check', async () => {
    const queue = new PasswordQueue(1);
    await check(queue, Standing.Account, true);
    await check(queue, Standing.Account, true);
    expect(Reflect.get(queue, 'restTimer')).toBeUndefined();
  });

  test('failed checks that ran at once are added up: together they have half of one core', async () => {
    const queue = new PasswordQueue(2);
    const { work, end } = hold();
    const both = [HERE, THERE].map((sender) => queue.run(sender, Standing.Stranger, work, () => false));
    time += 100;
    end();
    end();
    await Promise.all(both);
    const waits = check(queue, Standing.Stranger, false);
    await settled();
    expect(restMs).toBe(300);
    wake();
    await waits;
  });

  test('a known check is next when one ends, before older ones of others, which rest', async () => {
    const queue = new PasswordQueue(1);
    const { work, end } = hold();
    const first = queue.run(HERE, Standing.Stranger, work, () => false);
    const order: string[] = [];
    const note = (name: string) => async () => void order.push(name);
    const others = [
      queue.run({ address: '192.0.2.3' }, Standing.Account, note('account')),
      queue.run(THERE, Standing.Known, note('known')),
    ];
    time += 100;
    end();
    await first;
    await settled();
    expect(order).toEqual(['known']);
    wake();
    await Promise.all(others);
    expect(order).toEqual(['known', 'account']);
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
  let known: KnownAddresses;
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
    known = new KnownAddresses();
    subject = new Watched({ bcryptCost: 4 } as Config, known);
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

  test('an address is known for 24 h after each comparison of a right password, and only to this account (A7, A34)', async () => {
    await send({ password: 'a guess' });
    expect(known.has(sent.account, HERE.address)).toBe(false);
    await send();
    time = 24 * HOUR_MS - 1;
    expect(known.has(sent.account, HERE.address)).toBe(true);
    expect([known.has(sent.account, THERE.address), known.has('b@example.com', HERE.address)]).toEqual([false, false]);
    await send();
    time += 24 * HOUR_MS - 1;
    expect(known.has(sent.account, HERE.address)).toBe(true);
    time += 1;
    expect(known.has(sent.account, HERE.address)).toBe(false);
  });

  test('a known address is doubtful for a minute after a wrong password, and then known again (A7, L171)', async () => {
    const run = jest.spyOn(Reflect.get(subject, 'queue') as PasswordQueue, 'run');
    const standing = async (password?: string) => {
      await subject.matches({ ...sent, stored, ...(password !== undefined && { password }) }, HERE);
      return run.mock.lastCall?.[1];
    };
    expect(await standing()).toBe(Standing.Account);
    expect(await standing()).toBe(Standing.Known);
    expect(await standing('a guess')).toBe(Standing.Known);
    expect(await standing()).toBe(Standing.Doubtful);
    time = MINUTE_MS;
    expect(await standing()).toBe(Standing.Known);
  });

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
  const passwords = () => new Passwords({ bcryptCost: 4 } as Config, new KnownAddresses());
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
