import { useId, useState } from 'react';
import { Field, SelectField } from '../../design/field.js';
import type { FileDetail, Mapping } from './queries.js';
import { useTexts } from './texts.js';

type Kind = Mapping['kinds'][number]['kind'];

/** Those that every file has come first. */
const REQUIRED = ['date', 'amount'] as const;
const OPTIONAL = ['time', 'reference', 'authorisation', 'terminal', 'kind', 'debit', 'tender', 'currency'] as const;
const DECIMALS = ['comma', 'point'] as const;
const ORDERS = ['DMY', 'MDY', 'YMD'] as const;
const KINDS: readonly Kind[] = ['SALE', 'REFUND', 'CHARGEBACK', 'IGNORED'];

/** Which column is what, and how amounts and dates are written. Each change reads the file again. */
export function MappingForm({
  file: { columns, preset },
  mapping,

  onChange,
}: {
  readonly file: FileDetail;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}) {
  const { mapping: texts, kinds } = useTexts();
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
              change({ [column]: place, ...(column === 'kind' && { kinds: [] }) });
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
      {mapping.kind !== null && mapping.kinds.length > 0 && (
        <div className="file-columns">
          {mapping.kinds.map(({ value, kind }) => (
            <SelectField
              key={value}
              label={texts.kindOf(value)}
              value={kind}
              onChange={({ target }) =>
                change({
                  kinds: mapping.kinds.map((one) =>
                    one.value === value ? { value, kind: target.value as Kind } : one,
                  ),
                })
              }
            >
              {KINDS.map((one) => (
                <option key={one} value={one}>
                  {kinds[one]}
                </option>
              ))}
            </SelectField>
          ))}
        </div>
      )}
    </div>
  );
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
