import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { JwtGuard } from './auth/jwt.guard.js';
import { BodyInterceptor } from './body.js';
import { Config } from './config.js';
import { DatabaseModule } from './database/database.module.js';
import { ErrorFilter } from './error.filter.js';
import { HealthModule } from './health/health.module.js';
import { Log } from './log.js';
import { Metrics } from './metrics.js';
import { OrdersModule } from './orders/orders.module.js';
import { OutboxModule } from './outbox/outbox.module.js';
import { RestaurantsModule } from './restaurants/restaurants.module.js';
import { SecretBox } from './secret-box.js';
import { RestaurantGuard } from './user-links/restaurant.guard.js';
import { UserLinksModule } from './user-links/user-links.module.js';
import { WebhookModule } from './webhook/webhook.module.js';

/** What every module may ask for. */
@Global()
@Module({})
class CoreModule {
  static with(config: Config, log: Log): DynamicModule {
    return {
      module: CoreModule,
      providers: [{ provide: Config, useValue: config }, { provide: Log, useValue: log }, SecretBox, Metrics],
      exports: [Config, Log, SecretBox, Metrics],
    };
  }
}

/** The modules, in the order of the road: received and stored, sent, by whom, for whom. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's dynamic modules are classes
export class AppModule {
  static with(config: Config, log: Log): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(config, log),
        DatabaseModule,
        WebhookModule,
        OutboxModule,
        AuthModule,
        UserLinksModule,
        RestaurantsModule,
        OrdersModule,
        AdminModule,
        HealthModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        // in this order: who calls, then whether they may
        { provide: APP_GUARD, useClass: JwtGuard },
        { provide: APP_GUARD, useClass: RestaurantGuard },
        { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
      ],
    };
  }
}
