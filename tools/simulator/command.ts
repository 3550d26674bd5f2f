import type { Behaviour } from './behaviour.js';
import { isPosPath, isRecord, PATHS } from './wire.js';

/** A behaviour that is set over HTTP. */
export type Command = Behaviour | { readonly mode: 'down'; readonly seconds: number };

interface Field {
  readonly required?: true;
  readonly be: string;
  readonly holds: (value: unknown) => boolean;
}

const number = (least: number, most: number): Field => ({
  be: `a whole number from ${least} to ${most}`,
  holds: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
});
const required = (field: Field): Field => ({ ...field, required: true });
const string: Field = { be: 'a non-empty string', holds: (value) => typeof value === 'string' && value !== '' };
const httpStatus = required(number(200, 599));

const SCOPE: Record<string, Field> = {
  times: number(1, 1_000_000),
  paths: {
    be: `a list of ${PATHS.join(', ')}`,
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isPosPath),
  },
  stores: { be: 'a list of cod_store', holds: (value) => Array.isArray(value) && value.every(string.holds) },
};

const FIELDS: Record<Command['mode'], Record<string, Field>> = {
  ok: {},
  slow: { delayMs: required(number(0, 3_600_000)), ...SCOPE },
  hang: SCOPE,
  'hang-after': SCOPE,
  status: {
    status: httpStatus,
    errorCode: number(0, 1_000_000),
    message: string,
    retryAfter: { be: 'seconds or an HTTP date', holds: (value) => Number.isFinite(value) || string.holds(value) },
    ...SCOPE,
  },
  reset: SCOPE,
  'reset-after': SCOPE,
  html: { status: httpStatus, ...SCOPE },
  truncated: { status: httpStatus, ...SCOPE },
  redirect: { location: required(string), status: number(300, 399), ...SCOPE },
  trickle: { everyMs: required(number(1, 3_600_000)), ...SCOPE },
  huge: { status: httpStatus, bytes: required(number(14, 1_073_741_824)), ...SCOPE },
  'echo-secret': SCOPE,
  'any-form': SCOPE,
  'in-progress': SCOPE,
  gate: {
    register: required({ be: '"before" or "after"', holds: (value) => value === 'before' || value === 'after' }),
    ...SCOPE,
  },
  down: { seconds: required(number(1, 86_400)) },
};

/** A line for each mode. */
export const MISBEHAVIOURS: Readonly<Record<Command['mode'], string>> = {
  ok: 'no misbehaviour',
  slow: 'carries the call out at once, answers after delayMs',
  hang: 'reads the call, does nothing, never answers',
  'hang-after': 'carries the call out, never answers',
  status: 'answers with status (with a 2xx the call is carried out)',
  reset: 'resets the connection, does nothing',
  'reset-after': 'carries the call out, then resets the connection',
  html: 'answers with status and an HTML page, as a proxy does',
  truncated: 'answers with status, and closes the connection within the body',
  redirect: 'redirects to location, with status (302)',
  trickle: 'answers 200, then one byte every everyMs, without end',
  huge: 'answers with status and a JSON body of this size',
  'echo-secret': "answers 400 with the caller's secret and token in it",
  'any-form': 'carries the call out; answers compressed, in UTF-16, with a byte order mark and so on, in turn',
  'in-progress': 'answers a look-up with IN_PROGRESS',
  gate: 'holds calls until POST /simulator/release; carries them out before or after the wait',
  down: 'refuses connections for this many seconds',
};

/** The fields of a mode; optional ones end with a question mark. */
export function fieldsOf(mode: Command['mode']): string[] {
  return Object.entries(FIELDS[mode])
    .filter(([name]) => !Object.hasOwn(SCOPE, name))
    .map(([name, { required }]) => (required ? name : `${name}?`));
}

/** @returns the command, or why the body is none */
export function parseCommand(body: unknown): Command | { readonly problem: string } {
  if (!isRecord(body)) return { problem: 'body: must be a JSON object such as {"mode":"status","status":503}' };
  const { mode, ...rest } = body;
  const modes = Object.keys(FIELDS).join(', ');
  if (typeof mode !== 'string' || !Object.hasOwn(FIELDS, mode)) return { problem: `mode: must be one of ${modes}` };
  const fields = FIELDS[mode as Command['mode']];
  const names = Object.keys(fields).join(', ') || 'none';
  for (const name of Object.keys(rest))
    if (!Object.hasOwn(fields, name)) return { problem: `${name}: unknown; mode ${mode} takes: ${names}` };
  for (const [name, { required, be, holds }] of Object.entries(fields)) {
    if (rest[name] === undefined && !required) continue;
    if (!holds(rest[name])) return { problem: `${name}: must be ${be} (mode ${mode})` };
  }
  return body as unknown as Command;
}
