import { type DynamicModule, Global, Module, type OnModuleDestroy, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { JwtGuard } from './auth/jwt.guard.js';
import { SenderKeysModule } from './auth/sender-keys/sender-keys.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { OutboxModule } from './outbox/outbox.module.js';
import { CAPABILITY_NAMES, Capabilities } from './platform/config/capabilities.js';
import { Config } from './platform/config/config.js';
import { ConfigError } from './platform/config/environment.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { HealthModule } from './platform/health/health.module.js';
import { AppParts } from './platform/http/app-parts.js';
import { BodyGuard } from './platform/http/body/body.js';
import { BodyBudget } from './platform/http/body/body-budget.js';
import { ErrorFilter } from './platform/http/error.filter.js';
import { Connections } from './platform/http/limits/connections.js';
import { PartyTurns } from './platform/http/limits/party-turns.js';
import { RefusalLines } from './platform/http/limits/refusal-lines.js';
import { Refusals } from './platform/http/limits/refusals.js';
import { SerialRequests } from './platform/http/limits/serial-requests.js';
import { Shares } from './platform/http/limits/shares.js';
import { StrangerRequests } from './platform/http/limits/stranger-requests.js';
import { TokenLookUps } from './platform/http/limits/token-look-ups.js';
import { TurnGuard } from './platform/http/limits/turn.guard.js';
import { UnreadAnswers } from './platform/http/limits/unread-answers.js';
import { StartGate } from './platform/http/start-gate.js';
import { SalesFirst } from './platform/sales-first.js';
import { Pace } from './platform/schedule/pace.js';
import { ScheduleModule } from './platform/schedule/schedule.module.js';
import { SealedColumns } from './platform/secrets/sealed-columns.js';
import { SecretBox } from './platform/secrets/secret-box.js';
import { Log } from './platform/telemetry/log.js';
import { Metrics } from './platform/telemetry/metrics.js';
import { TracingModule } from './platform/tracing/tracing.module.js';
import { RestaurantsModule } from './restaurants/restaurants.module.js';
import { RestaurantGuard } from './user-links/restaurant.guard.js';
import { StillAllowedGuard } from './user-links/still-allowed.guard.js';
import { UserLinksModule } from './user-links/user-links.module.js';
import { RefusedSalesModule } from './webhook/refused-sales/refused-sales.module.js';
import { WebhookModule } from './webhook/webhook.module.js';

/**
 * Providers that every module can inject. The AbortSignal aborts when the process stops: relay.ts aborts it on SIGTERM or SIGINT;
 * without a signal, `app.close()` aborts it as its first step.
 */
@Global()
@Module({})
class CoreModule implements OnModuleDestroy {
  constructor(private readonly stopping: AbortController) {}

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  static forRoot(config: Config, log: Log, capabilities: Capabilities): DynamicModule {
    const stopping = new AbortController();
    const salesFirst = new SalesFirst();
    return {
      module: CoreModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Log, useValue: log },
        { provide: Capabilities, useValue: capabilities },
        { provide: AbortController, useValue: stopping },
        { provide: AbortSignal, useValue: stopping.signal },
        SecretBox,
        SealedColumns,
        Metrics,
        Pace,
        RefusalLines,
        AppParts,
        Refusals,
        { provide: SalesFirst, useValue: salesFirst },
        { provide: Shares, useValue: new Shares(config, salesFirst) },
        TokenLookUps,
        PartyTurns,
        BodyBudget,
        UnreadAnswers,
        SerialRequests,
        StrangerRequests,
        Connections,
        StartGate,
      ],
      exports: [
        Config,
        Log,
        Capabilities,
        AbortSignal,
        SecretBox,
        SealedColumns,
        Metrics,
        Pace,
        RefusalLines,
        Refusals,
        SalesFirst,
        Shares,
        TokenLookUps,
        PartyTurns,
        BodyBudget,
        AppParts,
      ],
    };
  }
}

/** What an instance can do without, by the name in CAPABILITIES (S43): a folder of capabilities/ and one line here. Loaded in this order. */
const CAPABILITIES: Readonly<Record<string, () => Promise<Type>>> = {
  'open-delivery': async () =>
    (await import('./capabilities/open-delivery/open-delivery.module.js')).OpenDeliveryModule,
  receipts: async () => (await import('./capabilities/receipts/receipts.module.js')).ReceiptsModule,
  days: async () => (await import('./capabilities/days/days.module.js')).DaysModule,
  'terminal-files': async () =>
    (await import('./capabilities/terminal-files/terminal-files.module.js')).TerminalFilesModule,
  live: async () => (await import('./capabilities/live/live.module.js')).LiveModule,
  resend: async () => (await import('./capabilities/resend/resend.module.js')).ResendModule,
  codes: async () => (await import('./capabilities/codes/codes.module.js')).CodesModule,
  'personal-data': async () =>
    (await import('./capabilities/personal-data/personal-data.module.js')).PersonalDataModule,
  alerts: async () => (await import('./capabilities/alerts/alerts.module.js')).AlertsModule,
  channels: async () => (await import('./capabilities/channels/channels.module.js')).ChannelsModule,
  'password-links': async () =>
    (await import('./capabilities/password-links/password-links.module.js')).PasswordLinksModule,
  tickets: async () => (await import('./capabilities/tickets/tickets.module.js')).TicketsModule,
  doctor: async () => (await import('./capabilities/doctor/doctor.module.js')).DoctorModule,
  console: async () => (await import('./capabilities/console/console.module.js')).ConsoleModule,
};

CAPABILITY_NAMES.push(...Object.keys(CAPABILITIES).toSorted());

/** Capabilities that send messages load the one that carries them. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  alerts: ['channels'],
  days: ['channels'],
  'password-links': ['channels'],
};

/** @returns the names of the capabilities to load, in their order. @throws ConfigError: CAPABILITIES has an unknown name */
function wantedOf(config: Config): string[] {
  const names = Object.keys(CAPABILITIES);
  const given = config.capabilities === 'all' ? names : config.capabilities;
  const unknown = given.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new ConfigError([
      `CAPABILITIES must be all, none, or names separated by commas: ${unknown.join(', ')} is none of ${names.join(', ')}`,
    ]);
  const wanted = new Set(given.flatMap((name) => [name, ...(NEEDS[name] ?? [])]));
  return names.filter((name) => wanted.has(name) && (name !== 'console' || config.console));
}

/** One after the other: modules register what they add in a fixed order. */
async function load(names: readonly string[]): Promise<Type[]> {
  const modules: Type[] = [];
  for (const name of names) modules.push(await (CAPABILITIES[name] as () => Promise<Type>)());
  return modules;
}

/** The root module. It imports the modules in the order of an order's path (P5): receive and store, deliver, management, capabilities. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's dynamic modules are classes
export class AppModule {
  /** @throws ConfigError: CAPABILITIES has an unknown name */
  static async forRoot(config: Config, log: Log): Promise<DynamicModule> {
    const wanted = wantedOf(config);
    return {
      module: AppModule,
      imports: [
        CoreModule.forRoot(config, log, new Capabilities(wanted)),
        DatabaseModule,
        ScheduleModule,
        TracingModule,
        WebhookModule,
        OutboxModule,
        AuthModule,
        UserLinksModule,
        SenderKeysModule,
        RestaurantsModule,
        OrdersModule,
        RefusedSalesModule,
        AdminModule,
        HealthModule,
        ...(await load(wanted)),
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        // the order matters: a request is authenticated, then authorized, then its body is read, then it takes its turn, then it is confirmed
        { provide: APP_GUARD, useClass: JwtGuard },
        { provide: APP_GUARD, useClass: RestaurantGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_GUARD, useClass: TurnGuard },
        { provide: APP_GUARD, useClass: StillAllowedGuard },
      ],
    };
  }
}
