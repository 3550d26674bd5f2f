import { OpenFilesError, shareOpenFiles } from '../../../src/platform/config/open-files.js';

const ON_SERVER = {
  databaseUrl: 'postgresql://localhost/relay',
  databasePoolSize: 10,
  outbox: { batchSize: 20 } as never,
};
const LARGE = { ...ON_SERVER, databasePoolSize: 200, outbox: { batchSize: 1_000 } as never };
const EMBEDDED = { ...ON_SERVER, databaseUrl: undefined };

describe('L21: client connections within the limit on open files', () => {
  test.each([
    ['no limit', Number.POSITIVE_INFINITY, ON_SERVER, 2_000],
    ['65,536 files', 65_536, EMBEDDED, 2_000],
    ['1,024 files', 1_024, ON_SERVER, 870],
    ['1,024 files and the embedded database', 1_024, EMBEDDED, 656],
    ['512 files, fewer than the relay itself may need', 512, LARGE, 100],
  ])('%s', (_, limit, config, connections) => {
    expect(shareOpenFiles(config, limit)).toMatchObject({ limit, connections });
  });

  test('fewer than 512 files: the start is refused', () => {
    expect(() => shareOpenFiles(ON_SERVER, 400)).toThrow(OpenFilesError);
  });

  test('reads the limit of this process', () => {
    expect(shareOpenFiles(ON_SERVER).limit).toBeGreaterThanOrEqual(512);
  });
});
