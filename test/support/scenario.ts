import type { RestaurantRole } from '../../src/domain/role.js';
import { PosSimulator, type PosSimulatorOptions } from '../../tools/simulator/simulator.js';
import { Jobs } from '../outbox/jobs.js';
import { openDataDir } from '../process/data-dir.js';
import { RelayProcess } from '../process/relay-process.js';
import { People, type Person } from '../user-links/people.js';
import { sale } from './client.js';
import { openDatabase, type TestDatabase } from './database.js';
import { ADMIN, ENVIRONMENT, OWN, PARTNER } from './environment.js';
import { TestRelay } from './relay.js';
import { MARK } from './secrets.js';

type Environment = Readonly<Record<string, string>>;
/** migrated: see openDatabase; consoleFolder: see TestRelay */
type Options = { readonly migrated?: boolean; readonly pos?: PosSimulatorOptions; readonly consoleFolder?: string };
/** A user with a token. */
export type Caller = Person & { readonly token: string };
export type Settled = 'SENT' | 'FAILED' | 'DLQ';

const PARTNERS = { [PARTNER.id]: PARTNER.secret, [OWN.posIdPartner]: OWN.posSecret };

/** A database, a simulated POS, relays and users; `close` ends all of them. */
export class Scenario {
  readonly people: People;
  readonly jobs: Jobs;
  /** the first relay, in this process; undefined in a scenario of processes */
  relay!: TestRelay;
  private stores = 0;
  private readonly started: { close(): Promise<void> }[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly pos: PosSimulator,
    /** the environment of each relay */
    readonly environment: Environment,
  ) {
    this.people = new People(database);
    this.jobs = new Jobs(database);
  }

  /** A scenario that is open for the tests of a suite, and for hooks that are declared after it. As {@link Scenario.open}. */
  static ofSuite(changes: Environment = {}, options: Options = {}): Scenario {
    const scenario: Scenario = Object.create(Scenario.prototype);
    beforeAll(async () => {
      Object.assign(scenario, await Scenario.open(changes, options));
    });
    afterAll(() => scenario.close());
    return scenario;
  }

  /** @param changes environment variables of its relays */
  static async open(changes: Environment = {}, options: Options = {}): Promise<Scenario> {
    const scenario = await Scenario.ofProcesses(changes, options);
    scenario.relay = await scenario.start({}, options.consoleFolder);
    return scenario;
  }

  /** Without a relay in this process: the test starts processes. */
  static async ofProcesses(changes: Environment = {}, options: Options = {}): Promise<Scenario> {
    const database = await openDatabase(options);
    const environment = { ...ENVIRONMENT, DATABASE_URL: database.url, ...changes };
    const scenario = await Scenario.on(database, environment, options.pos);
    if (options.migrated !== false) await scenario.people.user(ADMIN.email, 'ADMIN');
    return scenario;
  }

  /** Processes with an embedded database in one DATA_DIR and generated secrets. */
  static async inDataDir(changes: Environment = {}, options: Pick<Options, 'pos'> = {}): Promise<Scenario> {
    const { JWT_SECRET, SECRETS_KEY, ...rest } = ENVIRONMENT;
    const { dataDir, ...database } = await openDataDir();
    const environment = { ...rest, NODE_ENV: 'development', DATA_DIR: dataDir, ...changes };
    return Scenario.on(database, environment, options.pos);
  }

  private static async on(database: TestDatabase, environment: Environment, options?: PosSimulatorOptions) {
    const pos = new PosSimulator({ partners: PARTNERS, tokenPrefix: MARK, ...options });
    return new Scenario(database, pos, { POS_BASE_URL: await pos.listen(), ...environment });
  }

  get dataDir(): string {
    return this.environment.DATA_DIR as string;
  }

  get api() {
    return this.relay.api;
  }

  /** Another relay, in this process. */
  async start(changes: Environment = {}, consoleFolder?: string): Promise<TestRelay> {
    const relay = await TestRelay.start({ ...this.environment, ...changes }, consoleFolder);
    this.started.push(relay);
    return relay;
  }

  /** A relay in a new process, once it listens. */
  async startProcess(changes: Environment = {}): Promise<RelayProcess> {
    const relay = this.spawn(changes);
    await relay.logged('relay.started');
    return relay;
  }

  /** Starts a process and does not wait. */
  spawn(changes: Environment = {}): RelayProcess {
    const relay = RelayProcess.spawn({ ...this.environment, ...changes });
    this.started.push({ close: () => relay.kill() });
    return relay;
  }

  /**
   * For tests that count all rows: removes what earlier tests stored, besides the administrator. The relays keep what they remember, and the
   * POS its orders.
   * @throws when its database contains a secret in plain text
   */
  async empty(): Promise<void> {
    this.pos.behave({ mode: 'ok' });
    await this.findLeaks();
    await this.database.query(`DO $$ DECLARE name text; BEGIN
      SET LOCAL session_replication_role = replica;
      FOR name IN SELECT oid::regclass FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
          AND relname NOT IN ('_prisma_migrations', 'users', 'relay_instances', 'platform_keys')
      LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
      DELETE FROM users WHERE email <> '${ADMIN.email}';
    END $$`);
  }

  /** @throws when its database contains a secret in plain text */
  async close(): Promise<void> {
    for (const each of [...this.started, this.pos]) await each.close();
    await this.findLeaks().finally(() => this.database.close());
  }

  private async findLeaks(): Promise<void> {
    const leaks = await this.database.leaks();
    if (leaks.length > 0) throw new Error(leaks.join('\n'));
  }

  signIn = async (person: Person): Promise<Caller> => ({ ...person, token: await this.relay.login(person) });

  /** A new user without links. */
  person = async (platformRole?: string, email?: string) => this.signIn(await this.people.user(email, platformRole));

  /** A new user with this role in the restaurant. */
  async staff(restaurantId: string, role: RestaurantRole): Promise<Caller> {
    const caller = await this.person();
    await this.people.link(caller.id, restaurantId, role);
    return caller;
  }

  /** A new restaurant with an OWNER. @param code its codeStoreTerminal; null: none */
  async restaurant(code: string | null = null) {
    const owner = await this.person();
    const id = await this.people.restaurant(code, [owner, 'OWNER']);
    const sell = (changes: object = {}) => this.relay.accept(sale({ storeCode: code, ...changes }));
    return { id, owner, token: owner.token, sell };
  }

  /** A {@link restaurant} with a codeStoreTerminal that no other has. */
  store = () => this.restaurant(`STORE-${++this.stores}`);

  cancel = (restaurantId: string, key: string, token: string) =>
    this.api.post(`/restaurants/${restaurantId}/orders/${encodeURIComponent(key)}/cancel`, token);

  keyOf = async (jobId: string) => (await this.jobs.get(jobId)).event_key;

  /** One tick in which the job is settled with this state. @returns the job id */
  async settle(jobId: string, as: Settled, message?: string): Promise<string> {
    if (as !== 'SENT') this.pos.behave({ mode: 'status', status: as === 'DLQ' ? 422 : 503, errorCode: 310, message });
    await this.jobs.makeDue(jobId);
    await this.relay.tick();
    this.pos.behave({ mode: 'ok' });
    return jobId;
  }
}
