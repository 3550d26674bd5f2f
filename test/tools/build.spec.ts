import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('a command builds what is stale, and nothing else', () => {
  let folder: string;
  const path = (...names: string[]) => join(folder, ...names);
  /** What it says; its exit code is 0. */
  function build(): string {
    const { status, stderr } = spawnSync(process.execPath, [path('tools/build.mjs'), 'tools'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stderr;
  }
  const source = (text: string) => writeFileSync(path('tools/one.ts'), text);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-build-'));
    mkdirSync(path('tools'));
    for (const file of ['tools/build.mjs', 'tools/tsconfig.json', 'tsconfig.json', 'package.json', 'package-lock.json'])
      cpSync(join(ROOT, file), path(file));
    symlinkSync(join(ROOT, 'node_modules'), path('node_modules'));
    source('export const answer: number = 1;\n');
    build();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const built = (file: string) => readFileSync(path('dist-tools', file), 'utf8');

  test('what is fresh is not built again, though its file was touched', () => {
    utimesSync(path('tools/one.ts'), new Date(), new Date());
    expect(build()).toBe('');
  });

  test('a changed source is built, a lost output comes back, and the output of a source that has gone goes', () => {
    source('export const answer: number = 2;\n');
    writeFileSync(path('tools/two.ts'), 'export const other = 1;\n');
    expect(build()).toMatch(/^building the demo and the simulator: what has changed/);
    expect(built('one.js')).toContain('answer = 2');
    rmSync(path('dist-tools/one.js'));
    rmSync(path('tools/two.ts'));
    expect(build()).toMatch(/^building/);
    expect(built('one.js')).toContain('answer = 2');
    expect(() => built('two.js')).toThrow('ENOENT');
    expect(build()).toBe('');
  });

  test('a source that does not compile ends the command, and the next one builds it', () => {
    source('export const answer: number = "text";\n');
    expect(build).toThrow('one.ts(1,14): error TS2322');
    source('export const answer: number = 3;\n');
    build();
    expect(built('one.js')).toContain('answer = 3');
  });
});
