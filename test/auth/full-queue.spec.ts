import { type PasswordQueue, Standing } from '../../src/auth/password-queue.js';
import { Passwords } from '../../src/auth/passwords.js';
import { PrismaService } from '../../src/platform/database/prisma.service.js';
import { AT_ONCE } from '../../src/platform/spare-core.js';
import { sale } from '../support/client.js';
import { ADMIN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

/** Attackers, each with an address of its own, that log in without end with emails that have no account. */
const ATTACKERS = 80;

describe('a full queue of password checks (A7, L155)', () => {
  const scenario = Scenario.ofSuite({ TRUST_PROXY: 'true' });

  test('80 addresses with unknown emails do not keep out a login, nor Basic credentials of the webhook', async () => {
    const { relay } = scenario;
    await relay.createRestaurant();
    const queue = Reflect.get(relay.get(Passwords), 'queue') as Pick<PasswordQueue, 'run'> & { size: number };
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running = Array.from({ length: AT_ONCE }, () =>
      queue.run({ address: '192.0.2.1' }, Standing.Known, () => held),
    );

    let answered = 0;
    const attacks = Array.from({ length: ATTACKERS }, (_, i) =>
      relay.http
        .post('/auth/login')
        .set('X-Forwarded-For', `198.51.100.${i}`)
        .send({ email: `stranger-${i}@example.com`, password: 'a guess of many' })
        .then(({ status }) => {
          answered++;
          return status;
        }),
    );
    await until(() => queue.size === 64 && answered === ATTACKERS - 64);

    const login = relay.login();
    await until(() => answered === ATTACKERS - 63);
    const sold = relay.http
      .post('/webhooks/terminal')
      .set('X-Forwarded-For', '203.0.113.1')
      .auth(ADMIN.email, ADMIN.password)
      .send(sale())
      .then(({ status }) => status);
    await until(() => answered === ATTACKERS - 62);
    expect(queue.size).toBe(64);
    end();
    await Promise.all([...running, login]);
    expect(await sold).toBe(200);
    const statuses = await Promise.all(attacks);
    expect(statuses.filter((status) => status === 503)).toHaveLength(ATTACKERS - 62);
    expect(statuses.filter((status) => status === 401)).toHaveLength(62);
  });

  test('an address without a place is refused before its account is read', async () => {
    const { relay } = scenario;
    const queue = Reflect.get(relay.get(Passwords), 'queue') as PasswordQueue;
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const all = Array.from({ length: AT_ONCE + 32 }, () =>
      queue.run({ address: '192.0.2.1' }, Standing.Known, () => held),
    );
    const read = jest.spyOn(relay.get(PrismaService).user, 'findUnique');
    const from = (address: string) =>
      relay.http.post('/auth/login').set('X-Forwarded-For', address).send({ email: ADMIN.email, password: 'a guess' });
    expect((await from('192.0.2.1').expect(503)).body.code).toBe('TOO_MANY_PASSWORD_CHECKS');
    expect(read).not.toHaveBeenCalled();
    const other = from('192.0.2.2').then(({ status }) => status);
    await until(() => read.mock.calls.length === 1);
    end();
    await Promise.all(all);
    expect(await other).toBe(401);
  });
});
