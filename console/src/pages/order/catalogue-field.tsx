import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { useTyped } from '../../browser/typed.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

type Product = View<'CatalogueProductView'>;

/** The products that are offered at once: they fit above the keyboard of a phone. */
const OFFERED = 6;

/** The products of the catalogue of the POS whose code or name begins so (I15). `meta.count` is 0 without a catalogue. */
export function useCatalogue(restaurantId: string, search: string, isWanted = true) {
  return useQuery({
    queryKey: ['catalogue', restaurantId, search],
    queryFn: ({ signal }) => {
      const params = { path: { restaurantId }, query: { search, limit: OFFERED } };
      return answerOf(api.GET('/restaurants/{restaurantId}/catalogue', { params, signal }));
    },
    placeholderData: keepPreviousData,
    enabled: isWanted,
  });
}

const firstWordOf = (name: string) => /[\p{L}\p{N}]+/u.exec(name)?.[0] ?? '';

/**
 * A field for a code at the POS that offers the products of its catalogue: a combobox by the ARIA pattern. What is typed counts as it is; below it
 * stands what the catalogue says of it.
 */
export function CatalogueField({
  label,
  product,
  name,
  value,
  error,
  maxLength,
  restaurantId,
  onChange,
}: {
  readonly label: string;
  /** its name at the terminal: while the field is empty, products whose name has a word like its first one are offered */
  readonly product: string;
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly maxLength: number;
  readonly restaurantId: string;
  readonly onChange: (code: string) => void;
}) {
  const { map: texts } = useTexts();
  const { amount } = useFormats();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [chosen, setChosen] = useState<Product>();
  const [search, setSearch] = useState(value.trim() || firstWordOf(product));
  const [, type] = useTyped(search, setSearch);
  const { data, isPlaceholderData } = useCatalogue(restaurantId, search);
  const products = data?.data ?? [];
  const isShown = isOpen && products.length > 0;
  const current = isShown ? products[active] : undefined;
  const choose = (product: Product) => {
    const { code } = product;
    setChosen(product);
    onChange(code);
    type(code);
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setOpen(true);
      setActive((active + move + products.length + 1) % (products.length + 1));
    } else if (event.key === 'Escape' && isShown) {
      event.preventDefault();
      setOpen(false);
    } else if (event.key === 'Enter' && current) {
      // the next Enter sends the form
      event.preventDefault();
      choose(current);
    }
  };
  const typed = value.trim();
  const found = [...products, ...(chosen ? [chosen] : [])].find(({ code }) => code === typed);
  // of more than are offered, the code may be another one
  const isSettled = found !== undefined || (search === typed && !isPlaceholderData && data?.meta.next === null);
  const line = ({ name, priceCents }: Product) =>
    [name, priceCents === null ? null : amount(priceCents)].filter(Boolean).join(' · ');
  return (
    <div className="field catalogue-field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <input
        id={id}
        className="input"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current && `${id}-${active}`}
        aria-describedby={`${id}-hint`}
        aria-invalid={error ? true : undefined}
        name={name}
        value={value}
        maxLength={maxLength}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          onChange(target.value);
          type(target.value);
          setOpen(true);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <div id={`${id}-list`} role="listbox" aria-label={texts.products} className="catalogue-list" hidden={!isShown}>
        {products.map((product, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={product.code}
            id={`${id}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            className="catalogue-option"
            // the field keeps the focus
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(product)}
          >
            <b>{product.code}</b> <span>{line(product)}</span>
          </div>
        ))}
      </div>
      <p id={`${id}-hint`} className="field-hint" aria-live="polite">
        {typed !== '' && isSettled && !isShown && (found ? line(found) : texts.notInCatalogue)}
        {error && (
          <span className="field-error">
            <Icon name="warning" /> {error}
          </span>
        )}
      </p>
    </div>
  );
}
