import { type ComponentProps, type ReactNode, useId } from 'react';
import { CURRENCIES } from '../../../../src/domain/currency.js';
import { Button } from '../../design/button.js';
import { Field, SelectField } from '../../design/field.js';
import type { useForm } from '../../design/form.js';
import { type Language, useLanguage } from '../../i18n/language.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

/** The fields of a restaurant without its credentials; all as texts. */
export const RESTAURANT_FIELDS = [
  ...(['name', 'slug', 'address', 'codeStoreTerminal', 'codeStorePos', 'timezone', 'dayClosesAt', 'currency'] as const),
];
export type RestaurantField = (typeof RESTAURANT_FIELDS)[number];
export type RestaurantValues = Readonly<Record<RestaurantField, string>>;

export function valuesOf(restaurant: OwnRestaurant): RestaurantValues {
  const { name, slug, address, codeStoreTerminal, codeStorePos, timezone, dayClosesAt, currency } = restaurant;
  return {
    ...{ name, slug, timezone, dayClosesAt },
    ...{ address: address ?? '', codeStoreTerminal: codeStoreTerminal ?? '', codeStorePos: codeStorePos ?? '' },
    currency: currency ?? '',
  };
}

/** The time zone of this device. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const REQUIRED: readonly RestaurantField[] = ['name', 'timezone', 'dayClosesAt'];
const OPTIONAL: readonly RestaurantField[] = ['address', 'currency'];
const LONGEST: Partial<Record<RestaurantField, number>> = {
  ...{ name: 200, slug: 63, address: 500, codeStoreTerminal: 100, codeStorePos: 100 },
};

/** The fields of a restaurant, in the forms that create and change one. */
export function RestaurantFields({
  fields,
  form: { values, field: inputOf, change },
}: {
  readonly fields: readonly RestaurantField[];
  readonly form: Pick<ReturnType<typeof useForm<RestaurantValues, unknown>>, 'values' | 'field' | 'change'>;
}) {
  const { restaurant: texts } = useTexts();
  const zones = useId();
  // a restaurant has UTC while nobody has chosen a zone
  const isOffered = fields.includes('timezone') && values.timezone === 'UTC' && OWN_ZONE !== 'UTC';
  const labelOf = (field: RestaurantField) =>
    OPTIONAL.includes(field) ? texts.optional(texts.fields[field]) : texts.fields[field];
  const input = (field: RestaurantField): ReactNode => (
    <Field
      key={field}
      label={labelOf(field)}
      type={field === 'dayClosesAt' ? 'time' : 'text'}
      autoComplete="off"
      spellCheck={false}
      required={REQUIRED.includes(field)}
      maxLength={LONGEST[field]}
      list={field === 'timezone' ? zones : undefined}
      hint={texts.hints[field]}
      {...inputOf(field)}
    />
  );
  return (
    <>
      {fields.map((field) =>
        field === 'currency' ? <CurrencyField key={field} label={labelOf(field)} {...inputOf(field)} /> : input(field),
      )}
      {isOffered && (
        <p>
          <Button icon="clock" onClick={() => change({ timezone: OWN_ZONE })}>
            {texts.ownZone(OWN_ZONE)}
          </Button>
        </p>
      )}
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

/** The currencies that a restaurant may have, by their names. */
function CurrencyField(select: Omit<ComponentProps<typeof SelectField>, 'children'>) {
  const { restaurant: texts } = useTexts();
  return (
    <SelectField hint={texts.hints.currency} {...select}>
      <option value="">{texts.noCurrency}</option>
      {namedCurrencies(useLanguage()).map(({ code, name }) => (
        <option key={code} value={code}>
          {name === code ? code : `${name} (${code})`}
        </option>
      ))}
    </SelectField>
  );
}

function namedCurrencies(language: Language) {
  const names = new Intl.DisplayNames(language, { type: 'currency' });
  return [...CURRENCIES]
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, language));
}
