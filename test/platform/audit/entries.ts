import type { Scenario } from '../../support/scenario.js';

/** An entry as the API shows it. */
export interface Entry {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly restaurantId: string | null;
  readonly restaurantIds: string[];
  readonly restaurantName: string | null;
  readonly target: string | null;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;
}

export interface EntryPage {
  readonly data: Entry[];
  readonly meta: { readonly limit: number; readonly next: string | null };
}

/** Reads the audit through the API, as an OWNER or a platform administrator. */
export function auditOf(scenario: Scenario) {
  const read = async (path: string, token: string, query: Record<string, string> = {}): Promise<EntryPage> =>
    (await scenario.api.get(`${path}?${new URLSearchParams(query)}`, token).expect(200)).body;
  return {
    ofRestaurant: (id: string, token: string, query?: Record<string, string>) =>
      read(`/restaurants/${id}/audit`, token, query),
    ofAll: (token: string, query?: Record<string, string>) => read('/admin/audit', token, query),
    /** The number of rows in the table. */
    count: async () => {
      const [row] = await scenario.database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM audit_entries',
      );
      return row?.count as number;
    },
  };
}
