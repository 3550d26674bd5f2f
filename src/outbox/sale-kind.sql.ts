import { Prisma } from '../platform/database/generated/client.js';

/** What a stored transaction is: a sale, or a refund that the terminal reported (M15, R48). */
export const SALE_KINDS = ['SALE', 'REFUND'] as const;
export type SaleKind = (typeof SALE_KINDS)[number];

/**
 * SQL: whether an event is a refund: nothing was paid, and its totalAmount is below zero. It reads two columns of `terminal_events`, since
 * the difference of totalAmount from what was paid is stored (M9) and nothing paid leaves totalAmount itself. The payload is not read: it is
 * long, and may be erased. True or false, never null.
 */
export const IS_REFUND = Prisma.sql`(paid_cents = 0 AND coalesce(amount_mismatch_cents, 0) < 0)`;

/** SQL: the same as a condition of rows, in the words of the index of refunds. */
export const REFUNDS = Prisma.sql`paid_cents = 0 AND amount_mismatch_cents < 0`;

/** SQL: the {@link SaleKind} of an event, as text. */
export const SALE_KIND = Prisma.sql`CASE WHEN ${IS_REFUND} THEN 'REFUND' ELSE 'SALE' END`;

/** SQL: what an event adds to the takings, in cents: what was paid for a sale; what was paid back, below zero, for a refund. */
export const SIGNED_CENTS = Prisma.sql`CASE WHEN ${IS_REFUND} THEN amount_mismatch_cents ELSE paid_cents END`;
