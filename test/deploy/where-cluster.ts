import { findPrograms } from '../../deploy/cluster/local.mjs';
import { findPostgres } from '../../proof/postgres/binaries.js';

const postgres = findPostgres();
const programs = findPrograms();
const reason =
  'missing' in postgres ? "Postgres' programs" : 'missing' in programs ? 'Patroni, etcd, HAProxy and PgBouncer' : '';

/** For tests that start the cluster of deploy/cluster; the name of a skipped test has the reason. */
export const whereCluster = reason === '' ? test : test.skip;
export const NEEDS_CLUSTER = reason === '' ? '' : ` [skipped: needs ${reason}]`;

/** Where the programs are; only called where they are. */
export function clusterPrograms() {
  if ('missing' in postgres || 'missing' in programs) throw new Error(reason);
  return { binaries: postgres, folders: programs.folders };
}
