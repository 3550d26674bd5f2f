import { join } from 'node:path';
import { DatabaseProxy, STATEMENT } from '../../../proof/postgres/proxy.js';
import type { TestDatabase } from '../../support/database.js';

/** A proxy for the database that counts statements and loses the answer to one. */
export class LossyLine {
  /** loses the answer to the next matching statement, and all later data of its connection */
  lose: RegExp | undefined;
  /** number of matching statements before it that pass */
  skip = 0;
  /** number of statements so far */
  statements = 0;
  lost = 0;
  private proxy: DatabaseProxy | undefined;

  /** @returns the URL of the database behind it */
  async listen({ url }: TestDatabase): Promise<string> {
    const { hostname, port, pathname, searchParams } = new URL(url);
    const folder = searchParams.get('host');
    const target = folder ? { path: join(folder, '.s.PGSQL.5432') } : { host: hostname, port: Number(port || 5432) };
    this.proxy = new DatabaseProxy(() => target);
    this.proxy.loses = (sent) => this.loses(sent);
    return `postgresql://postgres@127.0.0.1:${await this.proxy.listen()}${pathname}`;
  }

  close(): void {
    this.proxy?.close();
  }

  private loses(sent: string): boolean {
    if (STATEMENT.test(sent)) this.statements++;
    if (!this.lose?.test(sent) || this.skip-- > 0) return false;
    this.lose = undefined;
    this.lost++;
    return true;
  }
}
