import { useId, useState } from 'react';
import { Field, SelectField } from '../../design/field.js';
import type { FileDetail, Mapping } from './queries.js';
import { useTexts } from './texts.js';

type Kind = Mapping['kinds'][number]['kind'];

/** Those that every file has come first. */
const REQUIRED = ['date', 'amount'] as const;
const OPTIONAL = [
  'time',
  'reference',
  'authorisation',
  'terminal',
  'instalment',
  'kind',
  'status',
  'debit',
  'tender',
  'currency',
] as const;
const DECIMALS = ['comma', 'point'] as const;
const ORDERS = ['DMY', 'MDY', 'YMD'] as const;
const KINDS: readonly Kind[] = ['SALE', 'REFUND', 'CHARGEBACK', 'IGNORED'];
const STATUSES = ['made', 'notMade'] as const;

/** Which column is what, and how amounts and dates are written. Each change reads the file again. */
export function MappingForm({
  file: { columns, preset },
  mapping,
  asked,
  onChange,
}: {
  readonly file: FileDetail;
  readonly mapping: Mapping;
  /** values with an unknown meaning */
  readonly asked: { readonly unknownKinds: readonly string[]; readonly unknownStatuses: readonly string[] };
  readonly onChange: (mapping: Mapping) => void;
}) {
  const { mapping: texts, kinds, statuses } = useTexts();
  const change = (changes: Partial<Mapping>) => onChange({ ...mapping, ...changes });
  const options = columns.map((name, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the place is what is chosen
    <option key={place} value={place}>
      {name.trim() || texts.unnamed(place + 1)}
    </option>
  ));
  return (
    <div className="stack">
      <p className="fine">
        {preset !== null && texts.preset} {texts.help}
      </p>
      <div className="file-columns">
        {REQUIRED.map((column) => (
          <SelectField
            key={column}
            label={texts.columns[column]}
            value={mapping[column]}
            onChange={({ target }) => change({ [column]: Number(target.value) })}
          >
            {options}
          </SelectField>
        ))}
        {OPTIONAL.map((column) => (
          <SelectField
            key={column}
            label={texts.columns[column]}
            value={mapping[column] ?? ''}
            onChange={({ target }) => {
              const place = target.value === '' ? null : Number(target.value);
              // the values of another column mean something else
              change({
                [column]: place,
                ...(column === 'kind' && { kinds: [] }),
                ...(column === 'status' && { statuses: [] }),
              });
            }}
          >
            <option value="">{texts.none}</option>
            {options}
          </SelectField>
        ))}
        <SelectField
          label={texts.decimal}
          value={mapping.decimal}
          onChange={({ target }) => change({ decimal: target.value as Mapping['decimal'] })}
        >
          {DECIMALS.map((decimal) => (
            <option key={decimal} value={decimal}>
              {texts.decimals[decimal]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={texts.dateOrder}
          value={mapping.dateOrder}
          onChange={({ target }) => change({ dateOrder: target.value as Mapping['dateOrder'] })}
        >
          {ORDERS.map((order) => (
            <option key={order} value={order}>
              {texts.dateOrders[order]}
            </option>
          ))}
        </SelectField>
        <Zone zone={mapping.zone} onChange={(zone) => change({ zone })} />
      </div>
      {mapping.kind !== null && (
        <Meanings
          values={[...asked.unknownKinds, ...mapping.kinds.map(({ value }) => value)]}
          of={(value) => mapping.kinds.find((one) => one.value === value)?.kind}
          choices={KINDS.map((kind) => [kind, kinds[kind]])}
          onChoose={(value, kind) => change({ kinds: [...without(mapping.kinds, value), { value, kind }] })}
        />
      )}
      {mapping.status !== null && (
        <Meanings
          values={[...asked.unknownStatuses, ...mapping.statuses.map(({ value }) => value)]}
          of={(value) => {
            const known = mapping.statuses.find((one) => one.value === value);
            return known && (known.counts ? 'made' : 'notMade');
          }}
          choices={STATUSES.map((status) => [status, statuses[status]])}
          onChoose={(value, status) =>
            change({ statuses: [...without(mapping.statuses, value), { value, counts: status === 'made' }] })
          }
        />
      )}
    </div>
  );
}

/** What each value of a column means; one that nobody knows has to be chosen. */
function Meanings<Meaning extends string>({
  values,
  of,
  choices,
  onChoose,
}: {
  readonly values: readonly string[];
  readonly of: (value: string) => Meaning | undefined;
  readonly choices: readonly (readonly [Meaning, string])[];
  readonly onChoose: (value: string, meaning: Meaning) => void;
}) {
  const { mapping: texts } = useTexts();
  if (values.length === 0) return null;
  return (
    <div className="file-columns">
      {[...new Set(values)].toSorted().map((value) => (
        <SelectField
          key={value}
          label={texts.kindOf(value)}
          value={of(value) ?? ''}
          error={of(value) ? undefined : texts.kindAsked}
          onChange={({ target }) => onChoose(value, target.value as Meaning)}
        >
          {of(value) === undefined && <option value="">{texts.choose}</option>}
          {choices.map(([meaning, text]) => (
            <option key={meaning} value={meaning}>
              {text}
            </option>
          ))}
        </SelectField>
      ))}
    </div>
  );
}

function without<One extends { readonly value: string }>(meanings: readonly One[], value: string): One[] {
  return meanings.filter((one) => one.value !== value);
}

/** A zone counts once it exists. */
function Zone({ zone, onChange }: { readonly zone: string; readonly onChange: (zone: string) => void }) {
  const { mapping: texts } = useTexts();
  const zones = useId();
  const [typed, type] = useState(zone);
  return (
    <div>
      <Field
        label={texts.zone}
        value={typed}
        list={zones}
        autoComplete="off"
        spellCheck={false}
        error={isZone(typed) ? undefined : texts.zoneWrong}
        onChange={({ target }) => {
          type(target.value);
          if (isZone(target.value)) onChange(target.value);
        }}
      />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  );
}

function isZone(name: string): boolean {
  return name === 'UTC' || Intl.supportedValuesOf('timeZone').includes(name);
}
