import type { QueryResultRow } from 'pg';
import type { LocalCluster } from '../../../deploy/cluster/local.mjs';
import { withConnection } from '../../postgres/connection.js';
import { DATABASE, type Reach } from '../database.js';

/** The primary of a cluster, reached through the HAProxy of its first machine. */
export class ClusterServer implements Reach {
  constructor(private readonly cluster: LocalCluster) {}

  get url(): string {
    const { SUPERUSER_PASSWORD, PRIMARY_PORT } = this.cluster.settings;
    return `postgresql://postgres:${SUPERUSER_PASSWORD}@${this.cluster.fronts[0]?.address}:${PRIMARY_PORT}/${DATABASE}`;
  }

  query<Row extends QueryResultRow>(...statements: string[]): Promise<Row[]> {
    return withConnection(this.url, async (query) => {
      let rows: Row[] = [];
      for (const statement of statements) rows = await query<Row>(statement);
      return rows;
    });
  }
}
