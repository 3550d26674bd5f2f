import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  'proof/README.md',
  'deploy/cluster/README.md',
].sort();
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The anchor of a heading, as it is made of its text. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsIn = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading as string));

/** Links to what is not there, as the document has them. */
function deadLinks(file: string, text = read(file)): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsIn(readFileSync(target, 'utf8')).includes(anchor);
  });
}

/** The folders of vendors have one line of the layout. */
const VENDORS = /^partner$/;

describe('the documents', () => {
  test.each(DOCUMENTS)('%s links to nothing that is not there', (file) => {
    expect(deadLinks(file)).toEqual([]);
  });

  test('a link to a file, or a heading, that is not there is found', () => {
    const text =
      '[a](../test/none.spec.ts) [b](scaling.md#no-heading) [c](scaling.md#several-machines) [d](https://x.org/y)';
    expect(deadLinks('docs/reliability.md', text)).toEqual(['../test/none.spec.ts', 'scaling.md#no-heading']);
  });

  test('docs/architecture.md names each folder of src/ in its layout, and has at most 250 lines', () => {
    const text = read('docs/architecture.md');
    const layout = text.match(/^```\nsrc\/\n[\s\S]*?^```$/m)?.[0] ?? '';
    const folders = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.parentPath.includes('generated') && entry.name !== 'generated')
      .map(({ name }) => name);
    expect(folders.filter((name) => !layout.includes(`${name}/`) && !VENDORS.test(name))).toEqual([]);
    expect(folders.length).toBeGreaterThan(40);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });

  test.each(DOCUMENTS)('%s: each path of a file in backticks is there', (file) => {
    const paths = [...read(file).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|tsx|mjs|sql|md|sh|yml|json))`/g)].map(
      ([, path]) => path as string,
    );
    const places = ['', 'src', 'docs', 'test', 'proof', 'console/src', dirname(file)];
    expect(paths.filter((path) => !places.some((place) => existsSync(join(ROOT, place, path))))).toEqual([]);
  });

  test('docs/terminals.md and docs/pos-makers.md have the examples as they are in tools/examples, each of at most 40 and 60 lines', () => {
    for (const name of readdirSync(join(ROOT, 'tools/examples'))) {
      const { file, most } =
        name === 'pos.mjs' ? { file: 'docs/pos-makers.md', most: 60 } : { file: 'docs/terminals.md', most: 40 };
      const example = read(`tools/examples/${name}`);
      expect(read(file)).toContain(`\n${example}\`\`\``);
      expect([name, example.trimEnd().split('\n').length <= most]).toEqual([name, true]);
    }
  });

  test('every promise of docs/reliability.md names what proves it: a test that is there, or a command', () => {
    const rows = read('docs/reliability.md').match(/^\| \*\*.*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(15);
    const unproved = rows.filter((row) => !/\(\.\.\/test\/[\w./-]+\.spec\.ts\)|`npm run chaos`/.test(row));
    expect(unproved).toEqual([]);
  });
});
