import { PrintTurns } from '../../../src/capabilities/tickets/print-turns.js';
import type { Config } from '../../../src/platform/config/config.js';

const NEVER = new AbortController().signal;

describe('the turns of printers (K11, L169)', () => {
  /** Requests that end when the test says so. */
  function requestsOf(config: Partial<Config>) {
    const turns = new PrintTurns(config as Config);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const ask = (digest: string, restaurantId: string, gone = NEVER) =>
      turns.run({ digest, restaurantId }, gone, () => {
        begun.push(digest);
        return new Promise<void>((resolve) => ends.set(digest, resolve));
      });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const end = async (digest: string) => {
      ends.get(digest)?.();
      await settled();
    };
    return { begun, ask, end, settled };
  }
  const ON_SERVER = { databasePoolSize: 10, databaseUrl: 'postgresql://localhost' };

  test('one of a printer, two of a restaurant, three tenths of the connections for all; restaurants take turns', async () => {
    const { begun, ask, end, settled } = requestsOf(ON_SERVER);
    for (const printer of ['a1', 'a1', 'a2', 'a3', 'a4', 'b1', 'c1']) void ask(printer, printer.slice(0, 1));
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    await end('a2');
    await end('b1');
    expect(begun.slice(3)).toEqual(['a3', 'c1', 'a4']);
    await end('a3');
    expect(begun.at(-1)).toBe('a1');
    for (const printer of ['a1', 'a4', 'c1']) await end(printer);
  });

  test('on the embedded database one of all', async () => {
    const { begun, ask, end, settled } = requestsOf({ databasePoolSize: 10, databaseUrl: undefined });
    for (const printer of ['a1', 'b1']) void ask(printer, printer.slice(0, 1));
    await settled();
    expect(begun).toEqual(['a1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
  });

  test('a request whose client has gone leaves both turns', async () => {
    const { begun, ask, end, settled } = requestsOf(ON_SERVER);
    const client = new AbortController();
    for (const printer of ['a1', 'a2']) void ask(printer, 'a');
    const gone = ask('a3', 'a', client.signal);
    await settled();
    client.abort();
    await expect(gone).rejects.toThrow('the client has closed the connection');
    void ask('a3', 'a');
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    await end('a2');
    await end('a3');
  });
});
