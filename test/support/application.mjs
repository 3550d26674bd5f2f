// The built application, and what the tests ask it for.
import 'reflect-metadata';

export { SchedulerRegistry } from '@nestjs/schedule';
export { createApp } from '../../dist/app.js';
export { loadConfig } from '../../dist/config.js';
export { documentOf } from '../../dist/docs.js';
export { Reaper } from '../../dist/outbox/reaper.js';
export { Retention } from '../../dist/outbox/retention.js';
export { OutboxSchedule } from '../../dist/outbox/schedule.js';
export { Watch } from '../../dist/outbox/watch.js';
