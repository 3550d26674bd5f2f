import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('a command builds what is stale, and nothing else', () => {
  let folder: string;
  const path = (...names: string[]) => join(folder, ...names);
  /** What it says; its exit code is 0. */
  function build(target = 'tools'): string {
    const { status, stderr } = spawnSync(process.execPath, [path('tools/build.mjs'), target], { encoding: 'utf8' });
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
    expect(build()).toMatch(/^building the tools: what has changed/);
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

  test('the console, where it is: as the relay serves it, compressed too, and anew when its source has changed', () => {
    expect(build('console')).toBe('');
    mkdirSync(path('console'));
    const index = '<!doctype html><script type="module" src="/main.js"></script>';
    const main = (text: string) =>
      writeFileSync(path('console/main.js'), `document.title = '${text.repeat(1_000)}';\n`);
    writeFileSync(path('console/index.html'), index);
    writeFileSync(path('console/vite.config.mjs'), `export default { base: '/console/' };\n`);
    main('a');
    expect(build('console')).toMatch(/^building the console/);
    const assets = () => readdirSync(path('dist-console/assets')).map((name) => name.replace(/-[\w-]{8}\./, '.'));
    expect(readFileSync(path('dist-console/index.html'), 'utf8')).toMatch(/src="\/console\/assets\/[\w.-]+\.js"/);
    expect(assets().sort()).toEqual(['index.js', 'index.js.br', 'index.js.gz']);
    expect(build('console')).toBe('');
    const before = readdirSync(path('dist-console/assets'));
    main('b');
    build('console');
    expect(assets()).toHaveLength(3);
    expect(readdirSync(path('dist-console/assets'))).not.toEqual(before);
  });
});
