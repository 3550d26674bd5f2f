import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** A file of settings as `sh` reads it; systemd reads the same. */
export const writeSettingsFile = (file: string, settings: Readonly<Record<string, string>>) =>
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
    { mode: 0o600 },
  );
export const readSettingsFile = (file: string): Record<string, string> =>
  Object.fromEntries(
    execFileSync('sh', ['-c', 'set -a; . "$1"; env', 'sh', file], { env: { PATH: process.env.PATH }, encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => [line.split('=', 1)[0] as string, line.slice(line.indexOf('=') + 1)]),
  );
