import { Prisma } from '../../platform/database/generated/client.js';

/** The trace id of an event (X3), 32 hexadecimal digits, where `trace` is its column; null for an event of a version that kept none. */
export const TRACE_ID = Prisma.sql`encode(substring(trace FROM 1 FOR 16), 'hex')`;

/** The same of the event of a job, by the columns of `job`. */
export const TRACE_ID_OF_JOB = Prisma.sql`(SELECT ${TRACE_ID} FROM terminal_events
  WHERE transaction_key = job.event_key AND terminal_events.restaurant_id = job.restaurant_id)`;
