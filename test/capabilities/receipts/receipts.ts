import { randomUUID } from 'node:crypto';
import { keysOf, sendBy } from '../../auth/sender-keys/keys.js';
import type { Scenario } from '../../support/scenario.js';

export const PATH = '/webhooks/terminal/receipts';
export const SCOPES = ['sales:write', 'receipts:read'];

/** A receipt as a sender gets it. */
export interface Shown {
  readonly type: string;
  readonly at: string;
  readonly restaurantId: string;
  readonly transactionKey: string;
  readonly jobId: string;
  readonly state: string;
  readonly cause?: string;
}
export interface Listed {
  readonly data: Shown[];
  readonly cursor: string;
  readonly more: boolean;
}

/** Senders and their receipts. @param opened is called when a test runs, because a scenario is opened after the tests are named */
export function receiptsOf(opened: () => Scenario) {
  const ask = (token: string, query: Record<string, string | number> = {}) =>
    opened().relay.api.get(PATH, token).query(query);
  return {
    /** A restaurant with a key that sends sales and reads receipts. */
    restaurant: async () => {
      const { relay } = opened();
      const code = `S-${randomUUID()}`;
      const { id, token } = await opened().restaurant(code);
      const keys = keysOf(relay, id, token);
      const { token: key, id: row } = await keys.create({ scopes: SCOPES });
      const sell = async (fields: object = {}) =>
        (await sendBy(relay, key, { ...fields }).expect(200)).body.jobId as string;
      return { id, code, owner: token, keys, key, row, sell };
    },
    ask,
    list: async (token: string, query?: Record<string, string | number>): Promise<Listed> =>
      (await ask(token, query).expect(200)).body,
    one: (token: string, jobId: string) => opened().relay.api.get(`${PATH}/${jobId}`, token),
    /** The jobs are not due before a test makes them due. */
    hold: (jobs: readonly string[]) =>
      opened().database.query(
        `UPDATE outbox_jobs SET next_run_at = now() + interval '1 hour' WHERE id = ANY ($1::uuid[])`,
        [jobs],
      ),
  };
}
