import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { BodyInterceptor } from './body.js';
import { Config } from './config.js';
import { DatabaseModule } from './database/database.module.js';
import { ErrorFilter } from './error.filter.js';
import { HealthModule } from './health/health.module.js';
import { Log } from './log.js';
import { OutboxModule } from './outbox/outbox.module.js';
import { RestaurantsModule } from './restaurants/restaurants.module.js';
import { SecretBox } from './secret-box.js';
import { WebhookModule } from './webhook/webhook.module.js';

/** What every module may ask for. */
@Global()
@Module({})
class CoreModule {
  static with(config: Config, log: Log): DynamicModule {
    return {
      module: CoreModule,
      providers: [{ provide: Config, useValue: config }, { provide: Log, useValue: log }, SecretBox],
      exports: [Config, Log, SecretBox],
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
        RestaurantsModule,
        HealthModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
      ],
    };
  }
}
