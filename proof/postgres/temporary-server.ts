import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryResultRow } from 'pg';
import type { PostgresBinaries } from './binaries.js';
import { Cluster, type Settings } from './cluster.js';

const DATABASE = 'postgres';

/** A running Postgres server in a folder that goes with it, and with the process. */
export class TemporaryServer {
  private constructor(
    private readonly cluster: Cluster,
    private readonly folder: string,
  ) {
    process.once('exit', this.destroy);
  }

  static async open(binaries: PostgresBinaries, settings: Settings = {}): Promise<TemporaryServer> {
    return TemporaryServer.start((folder) => Cluster.create(binaries, folder, settings));
  }

  /** A copy of it, taken while it works, and started. */
  async backup(): Promise<TemporaryServer> {
    return TemporaryServer.start((folder) => this.cluster.copy(folder, 'backup'));
  }

  private static async start(make: (folder: string) => Promise<Cluster>): Promise<TemporaryServer> {
    const folder = mkdtempSync(join(tmpdir(), 'relay-server-'));
    // the server may run as another user, who passes through
    chmodSync(folder, 0o711);
    const cluster = await make(join(folder, 'data'));
    await cluster.start();
    return new TemporaryServer(cluster, folder);
  }

  get url(): string {
    return this.cluster.url(DATABASE);
  }

  /** Runs a statement on a new connection. */
  query<Row extends QueryResultRow>(sql: string): Promise<Row[]> {
    return this.cluster.query<Row>(DATABASE, sql);
  }

  async close(): Promise<void> {
    process.off('exit', this.destroy);
    await this.cluster.stopImmediately();
    this.removeFolder();
  }

  private readonly destroy = () => {
    this.cluster.destroy();
    this.removeFolder();
  };

  private removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
