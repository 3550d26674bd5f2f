import { type DynamicModule, Global, Module, type OnModuleDestroy } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { JwtGuard } from './auth/jwt.guard.js';
import { SenderKeysModule } from './auth/sender-keys/sender-keys.module.js';
import { AlertsModule } from './capabilities/alerts/alerts.module.js';
import { ChannelsModule } from './capabilities/channels/channels.module.js';
import { ConsoleModule } from './capabilities/console/console.module.js';
import { DaysModule } from './capabilities/days/days.module.js';
import { DoctorModule } from './capabilities/doctor/doctor.module.js';
import { LiveModule } from './capabilities/live/live.module.js';
import { PersonalDataModule } from './capabilities/personal-data/personal-data.module.js';
import { ReceiptsModule } from './capabilities/receipts/receipts.module.js';
import { ResendModule } from './capabilities/resend/resend.module.js';
import { TerminalFilesModule } from './capabilities/terminal-files/terminal-files.module.js';
import { TicketsModule } from './capabilities/tickets/tickets.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { OutboxModule } from './outbox/outbox.module.js';
import { Config } from './platform/config/config.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { HealthModule } from './platform/health/health.module.js';
import { AppParts } from './platform/http/app-parts.js';
import { BodyGuard } from './platform/http/body/body.js';
import { BodyBudget } from './platform/http/body/body-budget.js';
import { ErrorFilter } from './platform/http/error.filter.js';
import { Connections } from './platform/http/limits/connections.js';
import { RefusalLines } from './platform/http/limits/refusal-lines.js';
import { Refusals } from './platform/http/limits/refusals.js';
import { SerialRequests } from './platform/http/limits/serial-requests.js';
import { Shares, TurnGuard } from './platform/http/limits/shares.js';
import { UnreadAnswers } from './platform/http/limits/unread-answers.js';
import { StartGate } from './platform/http/start-gate.js';
import { Pace } from './platform/schedule/pace.js';
import { ScheduleModule } from './platform/schedule/schedule.module.js';
import { SealedColumns } from './platform/secrets/sealed-columns.js';
import { SecretBox } from './platform/secrets/secret-box.js';
import { Log } from './platform/telemetry/log.js';
import { Metrics } from './platform/telemetry/metrics.js';
import { TracingModule } from './platform/tracing/tracing.module.js';
import { RestaurantsModule } from './restaurants/restaurants.module.js';
import { RestaurantGuard } from './user-links/restaurant.guard.js';
import { UserLinksModule } from './user-links/user-links.module.js';
import { RefusedSalesModule } from './webhook/refused-sales/refused-sales.module.js';
import { WebhookModule } from './webhook/webhook.module.js';

/**
 * Providers that every module can inject. The AbortSignal aborts when the process stops: main.ts aborts it on SIGTERM or SIGINT;
 * without a signal, `app.close()` aborts it as its first step.
 */
@Global()
@Module({})
class CoreModule implements OnModuleDestroy {
  constructor(private readonly stopping: AbortController) {}

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  static forRoot(config: Config, log: Log): DynamicModule {
    const stopping = new AbortController();
    return {
      module: CoreModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Log, useValue: log },
        { provide: AbortController, useValue: stopping },
        { provide: AbortSignal, useValue: stopping.signal },
        SecretBox,
        SealedColumns,
        Metrics,
        Pace,
        RefusalLines,
        AppParts,
        Refusals,
        { provide: Shares, useValue: new Shares(config) },
        BodyBudget,
        UnreadAnswers,
        SerialRequests,
        Connections,
        StartGate,
      ],
      exports: [
        Config,
        Log,
        AbortSignal,
        SecretBox,
        SealedColumns,
        Metrics,
        Pace,
        RefusalLines,
        Refusals,
        Shares,
        BodyBudget,
        AppParts,
      ],
    };
  }
}

/** The root module. It imports the modules in the order of an order's path (P5): receive and store, deliver, then management. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's dynamic modules are classes
export class AppModule {
  static forRoot(config: Config, log: Log): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.forRoot(config, log),
        DatabaseModule,
        ScheduleModule,
        TracingModule,
        WebhookModule,
        OutboxModule,
        AuthModule,
        UserLinksModule,
        SenderKeysModule,
        ReceiptsModule,
        RestaurantsModule,
        OrdersModule,
        RefusedSalesModule,
        DaysModule,
        TerminalFilesModule,
        LiveModule,
        DoctorModule,
        ResendModule,
        PersonalDataModule,
        AlertsModule,
        ChannelsModule,
        TicketsModule,
        AdminModule,
        HealthModule,
        ...(config.console ? [ConsoleModule] : []),
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        // the order matters: a request is authenticated, then authorized, then its body is read, then it takes its turn
        { provide: APP_GUARD, useClass: JwtGuard },
        { provide: APP_GUARD, useClass: RestaurantGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_GUARD, useClass: TurnGuard },
      ],
    };
  }
}
