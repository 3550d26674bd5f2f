import { useState } from 'react';
import { Button } from '../design/button.js';
import { Field, SelectField } from '../design/field.js';
import { useForm } from '../design/form.js';
import { Outcome } from '../design/outcome.js';
import type { KeysApi, NewSenderKey, SenderKey } from './keys-api.js';
import { useTexts } from './texts.js';

const KINDS = ['TOKEN', 'SIGNING'] as const;
/** What a key may be made for; the first is what the API takes without scopes. */
const MAY = {
  write: ['sales:write'],
  receipts: ['sales:write', 'receipts:read'],
  test: ['sales:test'],
} as const satisfies Record<string, readonly SenderKey['scopes'][number][]>;
const LIFETIMES = ['never', '90', '365', '730'] as const;
const DAY_MS = 86_400_000;

/** The form for a new key. It is closed at first: most visits of the page are not for it. */
export function AddKey({
  calls,
  onMade,
}: {
  readonly calls: KeysApi;
  readonly onMade: (made: NewSenderKey) => Promise<unknown>;
}) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const { values, change, clear, field, props, sending, rest } = useForm({
    initial: { name: '', kind: 'TOKEN', may: 'write', lifetime: 'never' },
    send: ({ name, kind, may, lifetime }) =>
      calls.create({
        name: name.trim(),
        kind: kind as (typeof KINDS)[number],
        scopes: [...MAY[may as keyof typeof MAY]],
        ...(lifetime !== 'never' && { expiresAt: new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString() }),
      }),
    onSent: (made) => {
      clear();
      setOpen(false);
      return onMade(made);
    },
    words: { name: texts.nameError },
  });
  const select = (name: 'kind' | 'may' | 'lifetime') => ({
    ...{ name, value: values[name] },
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });
  return (
    <details className="add-key" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.add}</summary>
      <form {...props}>
        <Field
          {...{ label: texts.name, hint: texts.nameHint, required: true, maxLength: 60, autoComplete: 'off' }}
          {...field('name')}
        />
        <SelectField label={texts.kind} hint={texts.kindHelp[values.kind as 'TOKEN']} {...select('kind')}>
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {texts.kindNames[kind]}
            </option>
          ))}
        </SelectField>
        <SelectField label={texts.may} {...select('may')}>
          {(Object.keys(MAY) as (keyof typeof MAY)[]).map((may) => (
            <option key={may} value={may}>
              {texts.mayNames[may]}
            </option>
          ))}
        </SelectField>
        <SelectField label={texts.lifetime} {...select('lifetime')}>
          {LIFETIMES.map((lifetime) => (
            <option key={lifetime} value={lifetime}>
              {texts.lifetimes[lifetime]}
            </option>
          ))}
        </SelectField>
        <Outcome error={rest} known={{ TOO_MANY_KEYS: texts.tooMany }} />
        <div className="row">
          <Button type="submit" busy={sending.isPending}>
            {texts.button}
          </Button>
        </div>
      </form>
    </details>
  );
}
