import { useTyped } from '../../browser/typed.js';
import { Button } from '../../design/button.js';
import { Field, SelectField } from '../../design/field.js';
import { setQuery, usePlace } from '../../router/location.js';
import { useActions } from './actions.js';
import { useTexts } from './texts.js';

const NAMES = ['action', 'actor', 'from', 'to'] as const;

/** The filters of the list; the address has their values. */
export function AuditFilters() {
  const texts = useTexts();
  const actions = useActions();
  const { query } = usePlace();
  const choose = (name: (typeof NAMES)[number], value: string) => setQuery({ [name]: value, after: undefined });
  return (
    <search className="audit-filters" aria-label={texts.filters}>
      <SelectField
        label={texts.action}
        value={query.get('action') ?? ''}
        onChange={(event) => choose('action', event.target.value)}
      >
        <option value="">{texts.anything}</option>
        {actions.map((action) => (
          <option key={action} value={action}>
            {texts.actions[action]}
          </option>
        ))}
      </SelectField>
      <ActorField value={query.get('actor') ?? ''} onChange={(value) => choose('actor', value)} />
      <Field
        label={texts.from}
        type="date"
        value={query.get('from') ?? ''}
        onChange={(event) => choose('from', event.target.value)}
      />
      <Field
        label={texts.to}
        type="date"
        value={query.get('to') ?? ''}
        onChange={(event) => choose('to', event.target.value)}
      />
    </search>
  );
}

/** Shows everything again. */
export function ClearFilters() {
  const texts = useTexts();
  const none = Object.fromEntries([...NAMES, 'after'].map((name) => [name, undefined]));
  return <Button onClick={() => setQuery(none)}>{texts.clear}</Button>;
}

function ActorField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const texts = useTexts();
  const [typed, setTyped] = useTyped(value, onChange);
  return (
    <Field
      label={texts.actor}
      type="search"
      inputMode="email"
      autoComplete="off"
      spellCheck={false}
      maxLength={320}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
