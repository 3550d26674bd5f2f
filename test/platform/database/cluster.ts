import { findPostgres } from '../../../proof/postgres/binaries.js';
import type { Settings } from '../../../proof/postgres/cluster.js';
import { TemporaryServer } from '../../../proof/postgres/temporary-server.js';

const found = findPostgres();
const binaries = 'missing' in found ? undefined : found;

export const testWithCluster = binaries ? test : test.skip;
export const NEEDS_CLUSTER = binaries ? '' : " [skipped: needs Postgres' programs]";

/** The folder of Postgres' programs. */
export const PROGRAMS = binaries?.folder ?? '';

/** A server for a test's length: nothing of it need outlive a loss of power. @param settings of postgresql.conf */
export async function openServer(settings: Settings = {}): Promise<TemporaryServer> {
  if (!binaries) throw new Error("there are no Postgres' programs");
  return TemporaryServer.open(binaries, { fsync: 'off', ...settings });
}
