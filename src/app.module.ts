import { type DynamicModule, Global, Module, type OnModuleDestroy } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdminModule } from './admin/admin.module.js';
import { AlertsModule } from './alerts/alerts.module.js';
import { AuthModule } from './auth/auth.module.js';
import { JwtGuard } from './auth/jwt.guard.js';
import { ChannelsModule } from './channels/channels.module.js';
import { Config } from './config/config.js';
import { ConsoleModule } from './console/console.module.js';
import { DatabaseModule } from './database/database.module.js';
import { DaysModule } from './days/days.module.js';
import { DoctorModule } from './doctor/doctor.module.js';
import { HealthModule } from './health/health.module.js';
import { AppParts } from './http/app-parts.js';
import { BodyGuard } from './http/body.js';
import { BodyBudget } from './http/body-budget.js';
import { Connections } from './http/connections.js';
import { ErrorFilter } from './http/error.filter.js';
import { Pace } from './http/pace.js';
import { RefusalLines } from './http/refusal-lines.js';
import { Refusals } from './http/refusals.js';
import { SerialRequests } from './http/serial-requests.js';
import { Shares, TurnGuard } from './http/shares.js';
import { StartGate } from './http/start-gate.js';
import { UnreadAnswers } from './http/unread-answers.js';
import { LiveModule } from './live/live.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { OutboxModule } from './outbox/outbox.module.js';
import { PersonalDataModule } from './personal-data/personal-data.module.js';
import { ReceiptsModule } from './receipts/receipts.module.js';
import { RefusedSalesModule } from './refused-sales/refused-sales.module.js';
import { ResendModule } from './resend/resend.module.js';
import { RestaurantsModule } from './restaurants/restaurants.module.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { SealedColumns } from './secrets/sealed-columns.js';
import { SecretBox } from './secrets/secret-box.js';
import { SenderKeysModule } from './sender-keys/sender-keys.module.js';
import { Log } from './telemetry/log.js';
import { Metrics } from './telemetry/metrics.js';
import { TerminalFilesModule } from './terminal-files/terminal-files.module.js';
import { TicketsModule } from './tickets/tickets.module.js';
import { TracingModule } from './tracing/tracing.module.js';
import { RestaurantGuard } from './user-links/restaurant.guard.js';
import { UserLinksModule } from './user-links/user-links.module.js';
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
