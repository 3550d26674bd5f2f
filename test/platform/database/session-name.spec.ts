import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { sale } from '../../support/client.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';

/** A pooler that opens its sessions under a name of its own. @returns what closes it, and its URL */
async function renamingPooler(url: string): Promise<{ server: Server; url: string }> {
  const { hostname, port, pathname, password, searchParams } = new URL(url);
  const folder = searchParams.get('host');
  const target = folder ? { path: join(folder, '.s.PGSQL.5432') } : { host: hostname, port: Number(port || 5432) };
  const server = createServer((client) => {
    const upstream = connect(target);
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('data', (bytes) =>
      upstream.write(
        Buffer.from(bytes.toString('latin1').replace('application_name\0relay', 'application_name\0stray'), 'latin1'),
      ),
    );
    upstream.on('data', (bytes) => client.write(bytes));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port: mine } = server.address() as AddressInfo;
  return { server, url: `postgresql://postgres:${password}@127.0.0.1:${mine}${pathname}` };
}

describe("a session of the relay's is known by its name (O27)", () => {
  let scenario: Scenario;
  let pooler: { server: Server; url: string };

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses();
    pooler = await renamingPooler(scenario.database.url);
  });
  afterAll(async () => {
    pooler.server.close();
    await scenario.close();
  });

  test('also when DATABASE_URL names another: what it sends is settled', async () => {
    const url = new URL(scenario.database.url);
    url.searchParams.set('application_name', 'billing');
    const relay = await scenario.start({ DATABASE_URL: url.href });
    await relay.createRestaurant();
    const job = await relay.accept(sale());
    await relay.tick();
    expect(await scenario.jobs.get(job)).toMatchObject({ status: 'SENT' });
  });

  test('behind a pooler that does not pass the name on it does not start, and says what to do', async () => {
    await expect(scenario.start({ DATABASE_URL: pooler.url })).rejects.toThrow(
      /names this session "stray" and not "relay".*pass application_name on, or: ALTER ROLE … SET relay\.force = 'on'/,
    );
  });

  whereServer(`with relay.force on its role or database it starts, and settles${NEEDS_SERVER}`, async () => {
    const name = new URL(scenario.database.url).pathname.slice(1);
    await scenario.database.query(`ALTER DATABASE ${name} SET relay.force = 'on'`);
    const relay = await scenario.start({ DATABASE_URL: pooler.url });
    await relay.createRestaurant({ codeStoreTerminal: 'STORE-9' });
    const job = await relay.accept(sale({ storeCode: 'STORE-9' }));
    await relay.tick();
    expect(await scenario.jobs.get(job)).toMatchObject({ status: 'SENT' });
  });
});
