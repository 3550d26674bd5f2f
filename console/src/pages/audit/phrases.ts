import type { en as shared } from '../../i18n/en.js';
import type { Formats } from '../../i18n/formats.js';
import type { Same } from '../../i18n/texts.js';
import type { en } from './en.js';
import type { Entry } from './queries.js';

/** What phrases need. */
export interface PhraseContext {
  readonly texts: Same<typeof en>;
  readonly roles: Same<typeof shared>['roles'];
  readonly formats: Formats;
  readonly timezone: string;
}

/** The details of an entry in short phrases. Unknown details are left out. */
export function phrasesOf({ action, details }: Entry, { texts, roles, formats, timezone }: PhraseContext): string[] {
  const say = texts.details;
  const text = (name: string) => (typeof details[name] === 'string' ? (details[name] as string) : undefined);
  const number = (name: string) => (typeof details[name] === 'number' ? (details[name] as number) : undefined);
  const role = (name: string) => roles[text(name) as keyof typeof roles] ?? text(name);
  const phrases: (string | undefined | false)[] = [];
  const address = text('address');
  const attempts = number('attempts');
  if (address && attempts !== undefined) phrases.push(say.attempts(attempts, address));
  else if (address) phrases.push(say.address(address));
  if (action === 'user.role_changed') phrases.push(say.roleBefore(role('role') ?? '', role('before') ?? ''));
  else if (details.role) phrases.push(say.role(role('role') ?? ''));
  if (Array.isArray(details.fields)) phrases.push(say.fields(named(details.fields, texts.fields)));
  phrases.push(details.newAccount === true && say.newAccount, details.credentials === true && say.withCredentials);
  const [reset, abandoned, resolved] = [number('reset'), number('abandoned'), number('resolved')];
  if (reset !== undefined) phrases.push(say.reset(reset));
  if (resolved !== undefined) phrases.push(say.reset(resolved));
  const [erased, operator] = [number('erased'), text('operator')];
  if (erased !== undefined) phrases.push(say.reset(erased));
  if (operator !== undefined) phrases.push(say.operator(operator));
  if (abandoned !== undefined) phrases.push(say.abandoned(abandoned));
  const [cause, since, reason, before] = [text('cause'), text('since'), text('reason'), text('before')];
  phrases.push(
    details.byRestaurant === true && say.byRestaurant,
    details.byIds === true && say.byIds,
    cause !== undefined && say.cause(cause),
    since !== undefined && say.since(formats.dateTime(since, timezone)),
    reason !== undefined && say.reason(reason),
    before !== undefined && say.before(formats.shortDay(before)),
  );
  return phrases.filter((phrase) => typeof phrase === 'string');
}

function named(fields: readonly unknown[], names: Readonly<Record<string, string>>): string {
  return fields.map((field) => names[String(field)] ?? String(field)).join(', ');
}
