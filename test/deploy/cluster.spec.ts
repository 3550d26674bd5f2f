import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { etcdApiOf, FILES, fill, readSettings } from '../../deploy/cluster/local.mjs';

const FOLDER = fileURLToPath(new URL('../../deploy/cluster/', import.meta.url));
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const namesIn = (text: string) => [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name as string);
const shipped = readSettings(read('settings.env'));
const values = Object.fromEntries(Object.entries(shipped).map(([name, value]) => [name, value || 'secret']));

describe('the files of deploy/cluster', () => {
  test('every name that a file takes from settings.env is there, and every name that is there is taken', () => {
    const taken = FILES.flatMap((file) => namesIn(read(file)));
    // for the commands of the README
    const ofCommands = [...read('README.md').matchAll(/\$([A-Z]+)\b/g)].map(([, name]) => name as string);
    expect(new Set([...taken, ...ofCommands])).toEqual(new Set(Object.keys(shipped)));
  });

  test.each(FILES)('%s has no other $NAME, which envsubst would empty', (file) => {
    const filled = fill(read(file), values);
    expect(filled.match(/\$\{?[A-Za-z_]\w*/g)).toBeNull();
  });

  test('they come without a password, and without one nothing is filled in', () => {
    const passwords = Object.entries(shipped).filter(([name]) => name.endsWith('_PASSWORD'));
    expect(passwords.map(([, value]) => value)).toEqual(['', '', '', '']);
    expect(() => fill(read('userlist.txt'), shipped)).toThrow('RELAY_PASSWORD has no value in settings.env');
  });

  test.each(FILES)('%s: every setting stands below a comment', (file) => {
    const lines = read(file).split('\n');
    const isComment = (line: string) => /^\s*(#|;|--)/.test(line);
    // a key alone, an item of a list, and what runs a program say nothing that could be set
    const isSetting = (line: string) => line.trim() !== '' && !isComment(line) && !isHeading(line);
    const indent = (line: string) => line.search(/\S/);
    const bare = lines.filter((line, at) => {
      if (!isSetting(line)) return false;
      // settings of one kind may share the comment above the first of them
      const above = lines.slice(0, at).toReversed();
      const first = above.findIndex((other) => !isSetting(other) || indent(other) !== indent(line));
      return !(first !== -1 && (isComment(above[first] as string) || isHeading(above[first] as string)));
    });
    expect(bare).toEqual([]);
  });

  test('P9: a commit waits for a standby, a lone primary acknowledges none, and only such a standby is promoted', () => {
    const patroni = read('patroni.yml');
    for (const line of ['synchronous_mode: true', 'synchronous_mode_strict: true', 'synchronous_commit: "on"'])
      expect(patroni).toMatch(new RegExp(`^ +${line}$`, 'm'));
    expect(patroni).not.toMatch(/fsync: "?off|full_page_writes: "?off/);
    expect(read('post-init.sh')).toContain(`ALTER ROLE relay SET synchronous_commit = 'on'`);
  });

  test('P10: HAProxy asks /health/ready of the relays and Patroni for the primary, and ends connections to an old one', () => {
    const haproxy = read('haproxy.cfg');
    expect(haproxy).toContain('option httpchk GET /health/ready\n');
    expect(haproxy).toContain('option httpchk OPTIONS /primary\n');
    expect(haproxy).toContain('on-marked-down shutdown-sessions');
  });

  test('limits that must be below another one are', () => {
    const number = (file: string, pattern: RegExp) => Number(pattern.exec(read(file))?.[1]);
    const ttl = number('patroni.yml', /^ +ttl: (\d+)$/m);
    const loop = number('patroni.yml', /^ +loop_wait: (\d+)$/m);
    expect(ttl).toBeGreaterThanOrEqual(loop + 2 * number('patroni.yml', /^ +retry_timeout: (\d+)$/m));
    // DATABASE_TIMEOUT_MS is 5 s
    expect(number('pgbouncer.ini', /^query_wait_timeout = (\d+)$/m)).toBeLessThan(5);
    expect(number('post-init.sh', /statement_timeout = '(\d+)ms'/)).toBeLessThan(5_000);
  });

  test('the README says of every file what it is for', () => {
    const described = read('README.md');
    const files = readdirSync(FOLDER).filter((name) => name !== 'README.md');
    expect(files.filter((name) => !described.includes(`\`${name}\``))).toEqual([]);
  });

  test.each([
    ['patroni 3.0.2', 'etcd'],
    ['patroni 2.1.4', 'etcd'],
    ['patroni 3.0.3', 'etcd3'],
    ['patroni 3.3.5', 'etcd3'],
    ['patroni 4.0.4', 'etcd3'],
    ['', 'etcd'],
  ])('"%s" is given the API %s: before 3.0.3 an old primary takes the lock of the new one by etcd3', (version, api) => {
    expect(etcdApiOf(version)).toBe(api);
  });
});

function isHeading(line: string): boolean {
  return (
    /^(global|defaults|listen|frontend|backend|\[\w+\]|#!|set -eu|SQL|exec )/.test(line) || /^\s*[\w$}{]+:$/.test(line)
  );
}
