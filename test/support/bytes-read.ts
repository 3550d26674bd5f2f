import { ConnectionPool } from '../../src/platform/database/pool.js';

/** What the relay reads from its database while something is done, as the characters of its JSON; its rounds are counted, too. */
export async function bytesRead(run: () => Promise<unknown>): Promise<number> {
  let read = 0;
  const query = ConnectionPool.prototype.query as (
    this: ConnectionPool,
    asked: unknown,
  ) => Promise<{ rows: unknown[] }>;
  const spy = jest.spyOn(ConnectionPool.prototype, 'query').mockImplementation(async function (
    this: ConnectionPool,
    asked: unknown,
  ) {
    const result = await query.call(this, asked);
    read += JSON.stringify(result.rows).length;
    return result;
  } as never);
  try {
    await run();
    return read;
  } finally {
    spy.mockRestore();
  }
}
