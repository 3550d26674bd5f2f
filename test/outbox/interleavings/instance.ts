import { OrderStates } from '../../../src/capabilities/open-delivery/order-states.js';
import { PosOrders } from '../../../src/capabilities/open-delivery/pos-orders.js';
import { PosTurns } from '../../../src/capabilities/open-delivery/pos-turns.js';
import { PulledOrders } from '../../../src/capabilities/open-delivery/pulled-orders.js';
import { ArrivalLookUp } from '../../../src/outbox/arrival-look-up.js';
import { Completer } from '../../../src/outbox/completer.js';
import { Delivery } from '../../../src/outbox/delivery.js';
import { Intake } from '../../../src/outbox/intake.js';
import { JobStore } from '../../../src/outbox/job-store.js';
import { OrderMapper, OrderMappers } from '../../../src/outbox/order-mapper.js';
import { Outages } from '../../../src/outbox/outages.js';
import { PushDelivery } from '../../../src/outbox/push-delivery.js';
import { Reaper } from '../../../src/outbox/reaper.js';
import { RestaurantCatalogues } from '../../../src/outbox/restaurant-catalogues.js';
import { RestaurantCodes } from '../../../src/outbox/restaurant-codes.js';
import { Retention } from '../../../src/outbox/retention.js';
import type { ClaimedJob } from '../../../src/outbox/store/claim.js';
import { Worker } from '../../../src/outbox/worker.js';
import type { Config } from '../../../src/platform/config/config.js';
import { DatabaseClock } from '../../../src/platform/database/clock.js';
import type { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { SalesFirst } from '../../../src/platform/sales-first.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import type { Log } from '../../../src/platform/telemetry/log.js';
import { Metrics } from '../../../src/platform/telemetry/metrics.js';
import { SpanExporter } from '../../../src/platform/tracing/span-exporter.js';
import { Tracing } from '../../../src/platform/tracing/tracing.js';
import { PosClient } from '../../../src/pos/client.js';
import type { PosTransport } from '../../../src/pos/http-exchange.js';
import { PushClient } from '../../../src/pos/push-client.js';
import { vendorOf } from '../../../src/pos/vendors.js';
import type { SimulatedPrisma } from './prisma.js';
import { type Activity, type Running, running } from './time.js';

/** What an instance reaches the world with. */
export interface Surroundings {
  readonly config: Config;
  readonly prisma: SimulatedPrisma;
  readonly transport: PosTransport;
  /** told of what is logged */
  readonly onLine: (line: Record<string, unknown>) => void;
}

const metrics = new Metrics();

/** The outbox of one process: the relay's own classes, on a simulated database and POS. */
export class Instance {
  readonly jobs: JobStore;
  readonly worker: Worker;
  readonly intake: Intake;
  readonly reaper: Reaper;
  readonly retention: Retention;
  readonly pulled: PulledOrders;
  readonly states: OrderStates;
  private readonly stop = new AbortController();

  /** @param name also that of its locks: `name/UUID` */
  constructor(
    readonly name: string,
    surroundings: Surroundings,
  ) {
    const config: Config = { ...surroundings.config, instance: name };
    const prisma = surroundings.prisma as unknown as PrismaService;
    const log = logTo(surroundings.onLine);
    const { signal } = this.stop;
    const token = { token: 'token', generation: 1 };
    const pos = new PosClient(surroundings.transport, { get: async () => token });
    this.jobs = new JobStore(prisma, config);
    const box = new SecretBox(config);
    const tracing = new Tracing(config, new SpanExporter(config, metrics, log));
    const arrivals = new ArrivalLookUp(this.jobs, pos, box, config, metrics, tracing);
    const mapper = new OrderMapper(vendorOf(config.pos));
    const codes = new RestaurantCodes(prisma);
    const mappers = new OrderMappers(config.pos);
    const events = new PushClient(surroundings.transport, { get: async () => token });
    const pushed = new PushDelivery(this.jobs, mappers, codes, events, box, tracing, config);
    const delivery = new Delivery(this.jobs, mapper, codes, arrivals, pushed, pos, box, tracing, config, log);
    const outages = new Outages(this.jobs, config, log);
    const completer = new Completer(this.jobs, outages, signal, config, metrics, tracing, log);
    this.worker = new Worker(this.jobs, known(delivery), completer, outages, signal, config, log);
    const wake = this.worker.wake.bind(this.worker);
    this.worker.wake = () => this.run('worker', wake);
    this.intake = new Intake(this.jobs, this.worker, new SalesFirst(), new RestaurantCatalogues(prisma, codes, log));
    const turns = new PosTurns(config);
    const orders = new PosOrders(this.jobs, mappers, codes, turns);
    this.pulled = new PulledOrders(this.jobs, orders, completer, turns, config);
    this.states = new OrderStates(this.pulled, orders, this.jobs, config, metrics, log);
    this.reaper = new Reaper(this.jobs, config, metrics, log);
    this.retention = new Retention(prisma, new DatabaseClock(prisma), signal, config, log);
  }

  get isStopping(): boolean {
    return this.stop.signal.aborted;
  }

  /** Runs a part of it, as its own. */
  run<T>(activity: Activity, work: () => T): T {
    return running.run({ instance: this, activity }, work);
  }

  /** SIGTERM (O20). */
  async shutDown(): Promise<void> {
    this.stop.abort();
    await this.run('worker', () => this.worker.beforeApplicationShutdown());
  }
}

/** A delivery whose calls are known to be of its claim. */
function known(delivery: Delivery): Delivery {
  const attempt = delivery.attempt.bind(delivery);
  delivery.attempt = (job: ClaimedJob, mayCall) =>
    running.run({ ...(running.getStore() as Running), activity: 'worker', claim: job.lockedBy }, () =>
      attempt(job, mayCall),
    );
  return delivery;
}

function logTo(write: (line: Record<string, unknown>) => void): Log {
  return { info: () => {}, warn: write, error: write } as unknown as Log;
}
