import type { Said } from '../../domain/acceptance.js';
import { isUuid } from '../../domain/text.js';
import { problem } from '../../platform/http/problem.js';

/** Lengths of what is read; longer reasons are cut (L266). */
const MOST_CHARACTERS = 100;
const MOST_ITEMS = 100;
const MOST_MINUTES = 10_080;

/** A refusal, with the ids of the items that the POS does not know. */
export interface Refusal extends Said {
  readonly state: 'REFUSED';
  readonly itemIds: readonly string[];
}

/** Reads the body of `confirm` (Q15). @throws 400 VALIDATION_FAILED */
export function readConfirmation(body: unknown): Said {
  const fields = new Fields(body);
  const said: Said = {
    state: 'ACCEPTED',
    number: fields.text('orderExternalCode', MOST_CHARACTERS),
    reason: fields.optionalText('reason'),
    preparationMinutes: fields.optionalMinutes('preparationTime'),
    eventId: fields.optionalId('eventId'),
  };
  fields.check();
  return said;
}

/** Reads the body of `requestCancellation` (Q16). @throws 400 VALIDATION_FAILED */
export function readRefusal(body: unknown): Refusal {
  const fields = new Fields(body);
  const refusal: Refusal = {
    state: 'REFUSED',
    reason: fields.text('reason'),
    code: fields.text('code', MOST_CHARACTERS),
    itemIds: fields.optionalIds('invalidItems'),
    eventId: fields.optionalId('eventId'),
  };
  fields.check();
  return refusal;
}

/** The fields of a body. Those that are wrong are collected. */
class Fields {
  private readonly problems: string[] = [];
  private readonly body: Readonly<Record<string, unknown>>;

  constructor(body: unknown) {
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    if (!isObject) this.problems.push('the body must be a JSON object');
    this.body = isObject ? (body as Record<string, unknown>) : {};
  }

  /** @throws 400 VALIDATION_FAILED */
  check(): void {
    if (this.problems.length > 0) throw problem('VALIDATION_FAILED', this.problems);
  }

  /** @param most absent: a longer text is cut */
  text(name: string, most?: number): string {
    const value = this.body[name];
    const isText = typeof value === 'string' && value.trim() !== '' && (most === undefined || value.length <= most);
    if (!isText) this.problems.push(`${name} must be text${most === undefined ? '' : ` of 1 to ${most} characters`}`);
    return isText ? value.trim() : '';
  }

  optionalText(name: string): string | undefined {
    const value = this.body[name] ?? undefined;
    return value === undefined || value === '' ? undefined : this.text(name);
  }

  optionalMinutes(name: string): number | undefined {
    const value = this.body[name] ?? undefined;
    if (value === undefined) return undefined;
    const isValid = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_MINUTES;
    if (!isValid) this.problems.push(`${name} must be a whole number of minutes from 0 to ${MOST_MINUTES}`);
    return isValid ? Number(value) : undefined;
  }

  optionalId(name: string): string | undefined {
    const value = this.body[name] ?? undefined;
    if (value === undefined || (typeof value === 'string' && isUuid(value))) return value?.toLowerCase();
    this.problems.push(`${name} must be the eventId of an event CREATED of the order, a UUID`);
    return undefined;
  }

  optionalIds(name: string): readonly string[] {
    const value = this.body[name] ?? [];
    const isValid =
      Array.isArray(value) && value.length <= MOST_ITEMS && value.every((id) => typeof id === 'string' && isUuid(id));
    if (!isValid) this.problems.push(`${name} must be a list of at most ${MOST_ITEMS} ids of items, UUIDs`);
    return isValid ? value.map((id: string) => id.toLowerCase()) : [];
  }
}
