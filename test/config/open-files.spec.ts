import { OpenFilesError, shareOpenFiles } from '../../src/config/open-files.js';

const ON_SERVER = {
  databaseUrl: 'postgresql://localhost/relay',
  databasePoolSize: 10,
  outbox: { batchSize: 20 } as never,
};
const EMBEDDED = { ...ON_SERVER, databaseUrl: undefined };

describe('L21: client connections within the limit on open files', () => {
  test.each([
    ['no limit', Number.POSITIVE_INFINITY, ON_SERVER, 1_000],
    ['a high one', 65_536, EMBEDDED, 1_000],
    ['1,024 files', 1_024, ON_SERVER, 870],
    ['1,024 files and the embedded database', 1_024, EMBEDDED, 656],
    [
      'less than the relay may need itself',
      512,
      { ...ON_SERVER, databasePoolSize: 200, outbox: { batchSize: 1_000 } as never },
      100,
    ],
  ])('%s', (_, limit, config, connections) => {
    expect(shareOpenFiles(config, limit)).toMatchObject({ limit, connections });
  });

  test('too few for a start', () => {
    expect(() => shareOpenFiles(ON_SERVER, 400)).toThrow(OpenFilesError);
  });

  test('the limit of this process is known, or none', () => {
    expect(shareOpenFiles(ON_SERVER).limit).toBeGreaterThanOrEqual(512);
  });
});
