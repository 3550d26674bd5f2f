import { type Check, duration, type Level } from './check.js';
import { type FindingCode, FOUND, HINTS } from './words.js';

/** The values of a finding, by name. The sentence of the finding contains them, in any language. */
export type FindingParams = Readonly<Record<string, string | number | boolean | null>>;

/** The checks of one restaurant (R8) in their order, each with its name in the output of the command. */
export const CHECKS = {
  terminalCode: 'terminal store codes',
  posCode: 'POS store codes',
  currency: 'currencies',
  polling: 'polls of POSs',
  events: 'events for POSs',
  credentials: 'POS credentials',
  pos: 'POS',
  signIn: 'POS sign-in',
  lookup: 'order lookup',
  testCredentials: 'test POS credentials',
  testSignIn: 'test POS sign-in',
  owner: 'owners',
  webhook: 'last sales',
  late: 'late jobs',
  stuck: 'stuck jobs',
  parked: 'parked jobs',
  timezone: 'time zones',
} as const;
export type CheckName = keyof typeof CHECKS;
export const CHECK_NAMES = Object.keys(CHECKS) as CheckName[];

/** The result of one check of a restaurant. */
export interface Finding {
  readonly name: CheckName;
  readonly level: Level;
  readonly code: FindingCode;
  readonly params: FindingParams;
}

/** Builds a finding. */
export function finding(name: CheckName, level: Level, code: FindingCode, params: FindingParams = {}): Finding {
  return { name, level, code, params };
}

/** The English sentence of a finding. */
export function messageOf({ code, params }: Finding): string {
  const text = (name: string, value: FindingParams[string]) =>
    name === 'ms' ? duration(Number(value)) : String(value ?? '');
  return FOUND[code](Object.fromEntries(Object.entries(params).map(([name, value]) => [name, text(name, value)])));
}

/** A finding as a check of the deployment. */
export function checkOf(name: string, found: Finding, text = messageOf(found)): Check {
  return { name, level: found.level, text, hint: HINTS[found.code] };
}
