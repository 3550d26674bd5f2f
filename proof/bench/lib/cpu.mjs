// Processor time, from /proc. Elsewhere than on Linux everything is unknown: NaN.
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel's unit of these files is a hundredth of a second on every platform that Node runs on. */
const TICKS_PER_SECOND = 100;

/** The fields of /proc/PID/stat after the name, or undefined when there is no such process. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (...at) => at.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
    return { parent: Number(fields[1]), own: ticks(11, 12), reaped: ticks(13, 14) };
  } catch {
    return undefined;
  }
}

/** Seconds that these processes have used so far, with all their threads. */
export const secondsOf = (...pids) => pids.reduce((sum, pid) => sum + (statOf(pid)?.own ?? Number.NaN), 0);

/** Seconds that a process has used so far, and all that descend from it, ended ones included. */
export function secondsOfTree(root) {
  const processes = new Map();
  for (const name of listProc()) if (/^\d+$/.test(name)) processes.set(Number(name), statOf(name));
  return sumTree(root, processes);
}

function sumTree(pid, processes) {
  const stat = processes.get(pid);
  if (!stat) return 0;
  let sum = stat.own + stat.reaped;
  for (const [child, { parent } = {}] of processes) if (parent === pid) sum += sumTree(child, processes);
  return sum;
}

function listProc() {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

/** Seconds that all processors of the machine were at work so far, and those that a host kept for others. */
export function machineSeconds() {
  try {
    const [line] = readFileSync('/proc/stat', 'utf8').split('\n');
    const [user, nice, system, , , irq, softirq, steal] = line.trim().split(/\s+/).slice(1).map(Number);
    return { busy: (user + nice + system + irq + softirq) / TICKS_PER_SECOND, stolen: steal / TICKS_PER_SECOND };
  } catch {
    return { busy: Number.NaN, stolen: Number.NaN };
  }
}

/** Memory of a process in MB: now, and at most so far. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

/** The process that started a Postgres backend; undefined when the server runs elsewhere. */
export function postmasterOf(backend) {
  try {
    if (!readFileSync(`/proc/${backend}/comm`, 'utf8').startsWith('postgres')) return undefined;
    return statOf(backend)?.parent;
  } catch {
    return undefined;
  }
}
