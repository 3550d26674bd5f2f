import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';

const MANUAL = new URL('../../docs/operations.md', import.meta.url);

/** The scripts of docs/operations.md, Procedures, by their headings. */
export function readProcedures(): Map<string, string> {
  const [, part = ''] = /^## Procedures\n(.*?)^## /ms.exec(readFileSync(MANUAL, 'utf8')) ?? [];
  return new Map(
    [...part.matchAll(/^### (.+?)\n.*?^```sh\n(.*?)^```/gms)].map(
      ([, name, script]) => [name, script] as [string, string],
    ),
  );
}

/** What a unit of systemd is to `systemctl`. */
export interface Unit {
  start(): Promise<void> | void;
  stop(): Promise<unknown>;
}

/** Stand-ins for the commands that need machines: everything else in a script is the real program. */
const COMMANDS = {
  // a machine is a folder
  ssh: 'cd "$MACHINES/$1" && export MACHINE="$1" && shift && exec sh -c "$*"',
  systemctl:
    'verb=$1; shift; [ "$1" != --now ] || shift; for unit; do curl -s --fail-with-body -X POST "$SUPERVISOR/$MACHINE/$verb/$unit" || exit 1; done',
};

/** The shell of an operator, who reaches machines by `ssh` and their units by `systemctl`. */
export class OperatorsShell {
  private readonly bin: string;
  private readonly machines: string;
  private readonly units = new Map<string, Unit>();
  private readonly running = new Set<number>();
  private readonly supervisor = createServer(async (request, response) => {
    const [, machine, verb, name] = (request.url ?? '').split('/');
    const unit = this.units.get(`${machine}/${name}`);
    try {
      if (!unit) throw new Error(`no unit ${name} on ${machine}`);
      if (verb === 'stop' || verb === 'restart') await unit.stop();
      if (verb !== 'stop') await unit.start();
      response.end();
    } catch (error) {
      response.writeHead(500).end((error as Error).message);
    }
  });

  /** @param folder an empty one */
  constructor(folder: string) {
    this.bin = join(folder, 'bin');
    this.machines = join(folder, 'machines');
    for (const each of [this.bin, this.machines]) mkdirSync(each);
    for (const [name, command] of Object.entries(COMMANDS)) {
      writeFileSync(join(this.bin, name), `#!/bin/sh\n${command}\n`);
      chmodSync(join(this.bin, name), 0o755);
    }
  }

  async open(): Promise<void> {
    this.supervisor.listen(0, '127.0.0.1');
    await once(this.supervisor, 'listening');
  }

  /** @param address as `ssh` is given it */
  addMachine(address: string, folder: string, units: Readonly<Record<string, Unit>>): void {
    symlinkSync(folder, join(this.machines, address));
    for (const [name, unit] of Object.entries(units)) this.units.set(`${address}/${name}`, unit);
  }

  /**
   * Runs a script as it stands in the manual.
   * @param where the machine that it is run on, and the folder
   * @param folders of programs, beside those of PATH
   * @throws with what it said, when a command of it failed
   */
  async run(
    name: string,
    where: { readonly machine: string; readonly cwd: string; readonly folders: readonly string[] },
    variables: Readonly<Record<string, string>>,
  ): Promise<string> {
    const script = readProcedures().get(name);
    if (!script) throw new Error(`the manual has no script for: ${name}`);
    const child = spawn('sh', ['-c', script], {
      cwd: where.cwd,
      env: {
        ...{ HOME: process.env.HOME, MACHINE: where.machine, MACHINES: this.machines, LC_ALL: 'C.UTF-8', ...variables },
        PATH: [this.bin, ...where.folders, process.env.PATH].join(delimiter),
        SUPERVISOR: `http://127.0.0.1:${(this.supervisor.address() as AddressInfo).port}`,
      },
      // its whole group is ended with it
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const pid = child.pid as number;
    this.running.add(pid);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const [code] = await once(child, 'close');
    this.running.delete(pid);
    if (code !== 0) throw new Error(`${name}: exit code ${code}: ${said}`);
    return said;
  }

  close(): void {
    this.supervisor.close();
    this.supervisor.closeAllConnections();
    for (const pid of this.running) process.kill(-pid, 'SIGKILL');
  }
}
