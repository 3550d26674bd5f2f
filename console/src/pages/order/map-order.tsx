import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Icon } from '../../design/icons.js';
import { mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { CatalogueField, useCatalogue } from './catalogue-field.js';
import { type Order, orderBadgeOf } from './reading.js';
import { useTexts } from './texts.js';
import './map-order.css';

type Mappable = View<'MappableOrderView'>;
type Item = Mappable['items'][number];
/** code of the terminal -> code at the POS */
type Codes = Readonly<Record<string, string>>;

const pathOf = (restaurantId: string, transactionKey: string) => ({
  path: { restaurantId, transactionKey: 'key' },
  query: { key: transactionKey },
});

/**
 * Sets what the POS calls the products of an order that it refused, and sends the order again, in one press (I8). The products that the POS named come
 * first; the others are folded. Nothing for who may not, and for an order of another cause.
 */
export function MapOrder({ order, restaurant }: { readonly order: Order; readonly restaurant: OwnRestaurant }) {
  const has = useHas();
  const job = order.jobs.find(({ action }) => action === 'CREATE');
  const isRefused = orderBadgeOf(order) === 'parked' && job?.cause === 'refused' && job.subject === 'product';
  const mayMap = isRefused && !order.erased && has('codes') && mayManage(restaurant.role);
  const params = pathOf(restaurant.id, order.transactionKey);
  const [sent, setSent] = useState<Sending>();
  const { data } = useQuery({
    queryKey: ['mappable', restaurant.id, order.transactionKey, job?.attempts],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/restaurants/{restaurantId}/orders/{transactionKey}/map', { params, signal }))).data,
    enabled: mayMap,
  });
  const catalogue = useCatalogue(restaurant.id, '', mayMap);
  const hasCatalogue = (catalogue.data?.meta.count ?? 0) > 0;
  return (
    <>
      {mayMap && data?.mayMap && data.items.length > 0 && !catalogue.isPending && (
        <MapForm key={job.attempts} mappable={data} params={params} hasCatalogue={hasCatalogue} onSent={setSent} />
      )}
      <div role="status" className="map-sent">
        {sent && <Sent {...sent} restaurantId={restaurant.id} />}
      </div>
    </>
  );
}

function MapForm({
  mappable: { items },
  params,
  hasCatalogue,
  onSent,
}: {
  readonly mappable: Mappable;
  readonly params: ReturnType<typeof pathOf>;
  readonly hasCatalogue: boolean;
  readonly onSent: (sent: Sending) => void;
}) {
  const { map: texts } = useTexts();
  // the POS may have named none
  const named = items.some(({ refused }) => refused) ? items.filter(({ refused }) => refused) : items;
  const others = items.filter((item) => !named.includes(item));
  const changedOf = (codes: Codes) =>
    items
      .map(({ terminalCode, posCode }) => ({
        terminalCode,
        posCode: (codes[terminalCode] ?? '').trim(),
        before: posCode,
      }))
      .filter(({ posCode, before }) => posCode !== '' && posCode !== before);
  const { sending, rest, ...form } = useForm({
    initial: Object.fromEntries(
      items.map(({ terminalCode, posCode }): [string, string] => [terminalCode, posCode ?? '']),
    ),
    check: (codes: Codes) => (changedOf(codes).length > 0 ? {} : { [(named[0] as Item).terminalCode]: texts.missing }),
    send: async (codes: Codes) => {
      const body = { items: changedOf(codes).map(({ terminalCode, posCode }) => ({ terminalCode, posCode })) };
      const mapped = api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/map', { params, body });
      const { others } = (await answerOf(mapped)).data;
      return { others, itemCodes: body.items.map(({ terminalCode }) => terminalCode) };
    },
    onSent: async (sent) => {
      // until it is read again the page says that the order is parked
      await queries.invalidateQueries();
      onSent(sent);
    },
  });
  const field = ({ terminalCode, name }: Item) => {
    const label = texts.field(name ?? terminalCode, terminalCode);
    const { onChange, value = '', ...input } = form.field(terminalCode);
    const common = { ...input, value, label, maxLength: MAX_CODE };
    return hasCatalogue ? (
      <CatalogueField
        key={terminalCode}
        {...common}
        product={name ?? ''}
        restaurantId={params.path.restaurantId}
        onChange={(code) => form.change({ [terminalCode]: code })}
      />
    ) : (
      <Field key={terminalCode} {...common} autoComplete="off" spellCheck={false} onChange={onChange} />
    );
  };
  return (
    <form {...form.props} className="map-order">
      <h3>{texts.title}</h3>
      <p className="fine">{texts.help}</p>
      {named.map(field)}
      {others.length > 0 && (
        <details>
          <summary>{texts.others(others.length)}</summary>
          {others.map(field)}
        </details>
      )}
      <Button type="submit" kind="primary" icon="repeat" busy={sending.isPending}>
        {texts.send}
      </Button>
      {rest && <ErrorText error={rest} />}
    </form>
  );
}

/** As long as the relay takes one (L230). */
const MAX_CODE = 255;

/** How many other parked orders have one of the codes that were set. */
interface Sending {
  readonly others: number;
  readonly itemCodes: string[];
}

/** What became of the press, and a button for the other orders. */
function Sent({ others, itemCodes, restaurantId }: Sending & { readonly restaurantId: string }) {
  const { map: texts } = useTexts();
  const sending = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/restaurants/{restaurantId}/resend', { params: { path: { restaurantId } }, body: { itemCodes } }),
      ),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <>
      <p className="field-good">
        <Icon name="check" /> {texts.sent}
      </p>
      {others > 0 && !sending.data && (
        <>
          <p>{texts.alsoParked(others)}</p>
          <Button icon="repeat" kind="primary" busy={sending.isPending} onClick={() => sending.mutate()}>
            {texts.sendOthers(others)}
          </Button>
        </>
      )}
      {sending.data && (
        <p className="field-good">
          <Icon name="check" /> {texts.sentOthers(others)}
        </p>
      )}
      {sending.error && <ErrorText error={sending.error} />}
    </>
  );
}
