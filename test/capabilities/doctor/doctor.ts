import { execFile, spawn } from 'node:child_process';
import type { Check } from '../../../src/capabilities/doctor/check.js';
import { examine } from '../../../src/capabilities/doctor/examination.js';
import { HOME, NODE_V8_COVERAGE, PATH, program } from '../../process/relay-process.js';
import { lookForSecrets } from '../../runner/verdict.js';

const LIMIT_MS = 50_000;

export interface Diagnosis {
  readonly code: number | string | null | undefined;
  /** all it printed, on both streams */
  readonly text: string;
}

/** Runs the doctor as a process with this environment only. */
export function doctor(environment: Record<string, string>, args: string[] = [], cwd?: string): Promise<Diagnosis> {
  const env = { PATH, HOME, NODE_V8_COVERAGE, NODE_ENV: 'production', ...environment };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...program('capabilities/doctor/main'), ...args],
      { cwd, env, timeout: LIMIT_MS },
      (error, stdout, stderr) => {
        lookForSecrets('the doctor', stdout + stderr);
        resolve({ code: error ? (error.code ?? error.signal) : 0, text: stdout + stderr });
      },
    );
  });
}

/** As `doctor`, but its standard output is closed after the first line. @returns what it printed on standard error */
export function doctorOfAnImpatientReader(environment: Record<string, string>): Promise<Diagnosis> {
  const env = { PATH, HOME, NODE_V8_COVERAGE, NODE_ENV: 'production', ...environment };
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(process.execPath, program('capabilities/doctor/main'), { env, timeout: LIMIT_MS });
    child.stdout.once('data', () => child.stdout.destroy());
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    child.once('close', (code, signal) => resolve({ code: code ?? signal, text }));
  });
}

/** As `doctor`, in this process, which is faster. */
export async function examined(
  environment: Record<string, string>,
  { json = false, isTerminal = false, now = Date.now } = {},
): Promise<Diagnosis> {
  let text = '';
  const print = (lines: string) => {
    text += `${lines}\n`;
  };
  const env = { NODE_ENV: 'production', ...environment };
  const code = await examine({ json }, { env, print, isTerminal, now });
  lookForSecrets('the doctor', text);
  return { code, text };
}

/** The checks that are not ok. @param clockMs how far this machine's clock is ahead */
export async function complaints(
  environment: Record<string, string>,
  clockMs = 0,
): Promise<{ code: unknown; found: Check[] }> {
  const { code, text } = await examined(environment, { json: true, now: () => Date.now() + clockMs });
  return { code, found: (JSON.parse(text) as Check[]).filter(({ level }) => level !== 'ok') };
}
