import { execFileSync } from 'node:child_process';
import { readProcedures } from './procedures.js';

const procedures = [...readProcedures()];

describe('the procedures of docs/operations.md', () => {
  test('there are five, each with one script', () => {
    expect(procedures.map(([name]) => name)).toEqual([
      'Upgrade the relay, one instance after the other',
      'Upgrade Postgres to a new minor version',
      'Add a third relay',
      'Move from the embedded database to a server',
      'Move from one server to the cluster',
    ]);
  });

  test.each(procedures)(
    '%s: a shell reads it, it stops at a failure, and names its variables at the top',
    (_, script) => {
      execFileSync('sh', ['-n', '-c', script]);
      const [first, ...lines] = script.split('\n');
      expect(first).toBe('set -eu');
      const top = lines.slice(
        0,
        lines.findIndex((line) => !line.startsWith(': "${')),
      );
      const named = top.map((line) => /\{(\w+):=/.exec(line)?.[1]);
      const taken = [...script.matchAll(/\$\{?([A-Z_]+)\b/g)].map(([, name]) => name);
      expect(new Set(named)).toEqual(new Set(taken));
    },
  );
});
