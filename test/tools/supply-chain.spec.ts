import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import rolldown from '../../tools/rolldown.config.mjs';

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  /** of a workspace */
  readonly link?: boolean;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}
const read = (file: string) => readFileSync(file, 'utf8');
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const production = Object.entries(lock.packages).filter(
  ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
);
/** Packages that build and test the console; the relay does not need them at run time. */
const OF_THE_CONSOLE = [
  'vite',
  'react',
  'react-dom',
  'preact',
  'subset-font',
  '@tanstack/react-query',
  'uplot',
  'playwright-core',
];

function tool(name: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`tools/${name}.mjs`, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the production packages', () => {
  test('the lock file agrees with package.json, and every package has a checksum', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    expect(lock.packages['']).toMatchObject({ dependencies, devDependencies });
    expect(production.length).toBeGreaterThan(100);
    expect(production.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test.each(['Dockerfile', '.ci/run', '.ci/production-tree.mjs', 'README.md', 'CONTRIBUTING.md', 'docs/operations.md'])(
    '%s installs from the lock file only',
    (file) => {
      expect(read(file)).not.toMatch(/npm (install|i|add|update)\b|'(install|i|add|update)'|npx -y/);
    },
  );

  test('have no package of the console: it is built before', () => {
    const names = production.map(([path]) => path.split('node_modules/').at(-1));
    expect(names.filter((name) => OF_THE_CONSOLE.includes(name as string))).toEqual([]);
    const { dependencies } = JSON.parse(read('console/package.json'));
    expect(dependencies).toBeUndefined();
  });

  test('`npm run build` leaves dist/main.js, which `npm run start:prod` starts (S11)', () => {
    const { scripts } = JSON.parse(read('package.json'));
    expect(scripts).toMatchObject({
      build: expect.stringMatching(/^node tools\/build\.mjs .*\brelay\b/),
      'start:prod': 'node dist/main.js',
      start: expect.stringMatching(/^node tools\/build\.mjs .*\brelay\b.* && node dist\/main\.js$/),
    });
    expect(rolldown.input).toMatchObject({
      main: resolve('src/main.ts'),
      'doctor/main': resolve('src/capabilities/doctor/main.ts'),
    });
    expect(rolldown.output.dir).toBe(resolve('dist'));
  });

  test('no package runs an install script', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  });

  test('`npm run licences` lists every package, and fails on a licence that is not allowed, or on none', () => {
    const { status, stdout } = tool('licences', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(production.length);

    const folder = mkdtempSync(join(process.env.RELAY_TEST_FOLDER as string, 'lock-'));
    const changed = structuredClone(lock);
    const [axios, pg] = ['node_modules/axios', 'node_modules/pg'].map(
      (path) => changed.packages[path] as { license?: string },
    );
    Object.assign(axios as object, { license: 'AGPL-3.0-only' });
    Object.assign(pg as object, { license: undefined });
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(changed));
    const refused = tool('licences', '--lock', folder);
    expect(refused.status).toBe(1);
    expect(refused.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^licences: axios \S+ has the licence AGPL-3.0-only, which is not allowed$/),
      expect.stringMatching(/^licences: pg \S+ has no licence, which is not allowed$/),
    ]);
  });

  test('`npm run sbom` lists every package once, with checksum and licence, and each is reached by the dependencies', () => {
    const { status, stdout } = tool('sbom');
    expect(status).toBe(0);
    const sbom = JSON.parse(stdout) as {
      components: { 'bom-ref': string; name: string; version: string; hashes: object[]; licenses: object[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    const paths = sbom.components.map((component) => component['bom-ref'].split('#')[1]);
    expect(paths.sort()).toEqual(production.map(([path]) => path).sort());
    for (const { hashes, licenses } of sbom.components) expect([hashes.length, licenses.length]).toEqual([1, 1]);
    const edges = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of edges.get(ref) ?? []) visit(next);
    };
    visit(sbom.dependencies[0]?.ref as string);
    expect(reached.size).toBe(production.length + 1);
  });
});

describe('the container', () => {
  const dockerfile = read('Dockerfile');
  const compose = read('docker-compose.yml');
  /** The lines of a service. */
  const service = (name: string) => new RegExp(`^ {2}${name}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(compose)?.[1] ?? '';

  test('its last stage runs the relay as a user without privileges', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last.match(/^USER .*$/gm)).toEqual(['USER node']);
    expect(last.indexOf('USER node')).toBeGreaterThan(last.lastIndexOf('\nRUN '));
    expect(last).toMatch(/^CMD \["node", "dist\/main\.js"\]$/m);
  });

  test('is built from the lock file and from images with a version, without other downloads', () => {
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/^\w+:(?!latest)\S+$/);
    expect(dockerfile).not.toMatch(/^ADD |curl|wget/m);
    expect([...dockerfile.matchAll(/npm (\w+)/g)].map(([, command]) => command)).toEqual(['ci', 'run', 'ci']);
  });

  test.each(['relay', 'postgres'])(
    'compose runs %s read-only, without capabilities that it does not need, with a memory limit',
    (name) => {
      const lines = service(name);
      expect(lines).toMatch(/^ {4}cap_drop:\n {6}- ALL$/m);
      expect(lines).toMatch(/^ {4}security_opt:\n {6}- no-new-privileges:true$/m);
      expect(lines).toMatch(/^ {4}read_only: true$/m);
      expect(lines).toMatch(/^ {4}tmpfs:\n {6}- \/tmp$/m);
      expect(lines).toMatch(/^ {4}mem_limit: \d+[mg]$/m);
      expect(lines).not.toMatch(/privileged|network_mode: host|docker\.sock/);
      expect(/cap_add:/.test(lines)).toBe(name === 'postgres');
    },
  );
});
