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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Only a small library: the compiler starts in a third of the time. */
const TSCONFIG = {
  compilerOptions: {
    ...{ module: 'nodenext', lib: ['es2015'], types: [], sourceMap: true },
    ...{ rootDir: 'src', outDir: 'node_modules/.cache/relay' },
  },
  include: ['src/**/*.ts'],
};
/** In place of Vite: writes a page, and a JavaScript file named by its content. */
const VITE = `
  const { cpSync, mkdirSync, readFileSync, rmSync } = require('node:fs');
  const out = process.cwd() + '/dist-console';
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out + '/assets', { recursive: true });
  cpSync('console/index.html', out + '/index.html');
  cpSync('console/main.js', out + '/assets/' + readFileSync('console/main.js', 'utf8')[0] + '.js');`;

describe('the build makes what is stale, and nothing else', () => {
  let folder: string;
  const path = (...names: string[]) => join(folder, ...names);
  /** @returns what it prints; its exit code must be 0 */
  function build(target = 'relay'): string {
    const { status, stderr } = spawnSync(process.execPath, [path('tools/build.mjs'), target], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stderr;
  }
  function write(file: string, text: string): void {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  }
  const source = (text: string) => write('src/main.ts', text);
  const built = (file: string) => readFileSync(path('dist', file), 'utf8');

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-build-'));
    // the database client is fresh: schema and lock file are those of the repository
    const copied = [
      'tools/build.mjs',
      'tools/rolldown.config.mjs',
      'package-lock.json',
      'prisma/schema.prisma',
      'src/platform/database/generated/.built-from',
    ];
    for (const file of copied) cpSync(join(ROOT, file), path(file));
    cpSync(join(ROOT, 'tools/examples'), path('tools/examples'), { recursive: true });
    for (const file of ['tsconfig.json', 'tsconfig.build.json']) write(file, JSON.stringify(TSCONFIG));
    write('node_modules/vite/package.json', '{}');
    write('node_modules/vite/bin/vite.js', VITE);
    for (const name of ['typescript', 'rolldown'])
      symlinkSync(join(ROOT, 'node_modules', name), path('node_modules', name));
    source('export const answer: number = 1;\n');
    for (const file of ['doctor/main.ts', 'terminal-files/reading/file-thread.ts', 'codes/catalogue-thread.ts'])
      write(`src/capabilities/${file}`, 'export {};\n');
    write('package.json', '{"type":"module"}');
    build();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('a touched file without a change is not built again', () => {
    utimesSync(path('src/main.ts'), new Date(), new Date());
    expect(build()).toBe('');
  });

  test('a changed source and a missing output are built; the output of a removed source is removed', () => {
    source(`export const answer: number = 2;\nexport const other = import('./two.js');\n`);
    write('src/two.ts', 'export const two = 2;\n');
    expect(build()).toMatch(/^building the relay: what has changed/);
    expect(built('chunks/two.js')).toContain('two = 2');
    rmSync(path('dist/chunks/two.js'));
    expect(build()).toMatch(/^building/);
    expect(built('chunks/two.js')).toContain('two = 2');
    source('export const answer: number = 2;\n');
    rmSync(path('src/two.ts'));
    build();
    expect(built('main.js')).toContain('answer = 2');
    expect(() => built('chunks/two.js')).toThrow('ENOENT');
  });

  test('a program of dist/ has its packages in it, and its source map names the source', () => {
    write('node_modules/package/package.json', '{"name":"package","type":"module","exports":"./package.js"}');
    write('node_modules/package/package.js', `export const word = 'a word';\n`);
    source(`// @ts-ignore\nexport { word } from 'package';\nexport class Named {}\n`);
    build();
    expect(built('main.js')).toContain('a word');
    expect(JSON.parse(built('main.js.map')).sources).toContain('../src/main.ts');
  });

  test('an import that is not found fails the build', () => {
    source(`// @ts-ignore\nexport { word } from 'nowhere';\n`);
    expect(build).toThrow(`Could not resolve 'nowhere'`);
  });

  test('a source that does not compile fails the build; the next build makes it', () => {
    source('export const answer: number = "text";\n');
    expect(build).toThrow('main.ts(1,14): error TS2322');
    source('export const answer: number = 3;\n');
    build();
    expect(built('main.js')).toContain('answer = 3');
  });

  test('the console is built and compressed, and built again when its source has changed', () => {
    expect(build('console')).toBe('');
    write('console/index.html', '<!doctype html>');
    // the page imports it
    write('src/capabilities/doctor/words.ts', '');
    write('console/main.js', 'a'.repeat(2_000));
    expect(build('console')).toMatch(/^building the console/);
    const assets = () => readdirSync(path('dist-console/assets')).sort();
    expect(assets()).toEqual(['a.js', 'a.js.br', 'a.js.gz']);
    expect(build('console')).toBe('');
    write('console/main.js', 'b'.repeat(2_000));
    build('console');
    expect(assets()).toEqual(['b.js', 'b.js.br', 'b.js.gz']);
  });
});
