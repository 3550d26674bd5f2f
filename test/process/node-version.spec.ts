import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { program } from './relay-process.js';

describe('the version of Node (S1)', () => {
  test.each([
    ['18.20.8', '18.20'],
    ['20.18.3', '20.18'],
  ])('on Node %s the start ends with one line', async (version, named) => {
    const older = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
    const { code, stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', older, ...program('main')],
      {
        env: {},
      },
    ).catch((error) => error);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`The relay cannot start: it needs Node 20.19 or later, this is ${named}\n`);
  });
});
