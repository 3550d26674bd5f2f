import { useDeferredValue, useState } from 'react';
import { Button } from '../../design/button.js';
import { SelectField } from '../../design/field.js';
import { SearchBox } from '../../design/search-box.js';
import { type Column, Table } from '../../design/table.js';
import { folded } from '../../i18n/folded.js';
import { useFormats } from '../../i18n/formats.js';
import { mayAdminister, type OwnRestaurant } from '../../session/restaurants.js';
import { AtPos } from './at-pos.js';
import type { Product } from './queries.js';
import { useTexts } from './texts.js';

const STATES = ['refused', 'unmapped', 'default', 'mapped'] as const;
type State = (typeof STATES)[number];

/** Rows that are shown at first, and with each press. */
const PAGE = 50;
const CENTS = 100;

/** The products, searched and filtered. */
export function SoldProducts({
  products,
  restaurant,
}: {
  readonly products: readonly Product[];
  readonly restaurant: OwnRestaurant;
}) {
  const { sold: texts, states } = useTexts();
  const [text, setText] = useState('');
  const [state, setState] = useState<State | ''>('');
  const [shown, setShown] = useState(PAGE);
  const searched = folded(useDeferredValue(text).trim());
  const matching = products.filter(
    (product) =>
      (state === '' || product.state === state) &&
      folded(`${product.name ?? ''} ${product.terminalCode ?? ''} ${product.posCode ?? ''}`).includes(searched),
  );
  return (
    <div className="stack">
      <div className="products-filter">
        <SearchBox label={texts.search} value={text} maxLength={100} onType={setText} />
        <SelectField label={texts.shown} value={state} onChange={({ target }) => setState(target.value as State | '')}>
          <option value="">{texts.all}</option>
          {STATES.filter((each) => products.some((product) => product.state === each)).map((each) => (
            <option key={each} value={each}>
              {states[each]}
            </option>
          ))}
        </SelectField>
      </div>
      {matching.length === 0 ? (
        <p className="quiet">{texts.noMatch}</p>
      ) : (
        <ProductTable products={matching.slice(0, shown)} restaurant={restaurant} />
      )}
      {matching.length > shown && (
        <p>
          <Button onClick={() => setShown(shown + PAGE)}>{texts.more(Math.min(PAGE, matching.length - shown))}</Button>
        </p>
      )}
    </div>
  );
}

function ProductTable({
  products,
  restaurant,
}: {
  readonly products: readonly Product[];
  readonly restaurant: OwnRestaurant;
}) {
  const { sold: texts } = useTexts();
  const { amount, number } = useFormats();
  const columns: Column<Product>[] = [
    {
      ...{ key: 'product', header: texts.product, heading: true },
      cell: ({ terminalCode, name }) => (
        <>
          <bdi className="named">{terminalCode === null ? texts.noCode : (name ?? terminalCode)}</bdi>{' '}
          {terminalCode !== null && name !== null && <bdi className="mono quiet product-code">{terminalCode}</bdi>}
        </>
      ),
    },
    { key: 'count', header: texts.count, end: true, cell: ({ count }) => number(count) },
    {
      ...{ key: 'price', header: texts.price, end: true },
      cell: ({ lastPrice, cataloguePriceCents }) => (
        <>
          {lastPrice === null ? '–' : amount(Math.round(lastPrice * CENTS))}
          {lastPrice !== null &&
            cataloguePriceCents !== null &&
            cataloguePriceCents !== Math.round(lastPrice * CENTS) && (
              <p className="fine">{texts.ofCatalogue(amount(cataloguePriceCents))}</p>
            )}
        </>
      ),
    },
    {
      ...{ key: 'pos', header: texts.atPos },
      cell: ({ terminalCode, name, posCode, posName, state, inCatalogue }) => (
        <AtPos
          coded={{ kind: 'ITEM', terminalCode: terminalCode ?? '', posCode, posName }}
          name={name ?? terminalCode ?? texts.noCode}
          restaurantId={restaurant.id}
          // the code of items that have none is set below
          mayChange={terminalCode !== null && mayAdminister(restaurant.role)}
          unset={terminalCode === null ? texts.withoutCode : texts.asTerminal}
          isRefused={state === 'refused'}
          isLacked={inCatalogue === false}
        />
      ),
    },
  ];
  return (
    <Table
      caption={texts.title}
      columns={columns}
      rows={products}
      // an empty code is that of items without one
      rowKey={({ terminalCode }) => terminalCode ?? ''}
    />
  );
}
