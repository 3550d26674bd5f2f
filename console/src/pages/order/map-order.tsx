import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { Icon } from '../../design/icons.js';
import { mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { CatalogueField, useCatalogue } from './catalogue-field.js';
import { type Order, orderBadgeOf } from './reading.js';
import { useTexts } from './texts.js';
import './map-order.css';

type Mappable = View<'MappableOrderView'>;
type Item = Mappable['items'][number];

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
  const [codes, setCodes] = useState<Readonly<Record<string, string>>>({});
  const codeOf = ({ terminalCode, posCode }: Item) => codes[terminalCode] ?? posCode ?? '';
  const changed = items.filter((item) => codeOf(item).trim() !== '' && codeOf(item).trim() !== item.posCode);
  const sending = useMutation({
    mutationFn: async () => {
      const body = {
        items: changed.map((item) => ({ terminalCode: item.terminalCode, posCode: codeOf(item).trim() })),
      };
      const mapped = api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/map', { params, body });
      const { others } = (await answerOf(mapped)).data;
      return { others, itemCodes: body.items.map(({ terminalCode }) => terminalCode) };
    },
    onSuccess: async (sent) => {
      // until it is read again the page says that the order is parked
      await queries.invalidateQueries();
      onSent(sent);
    },
  });
  // the POS may have named none
  const named = items.some(({ refused }) => refused) ? items.filter(({ refused }) => refused) : items;
  const others = items.filter((item) => !named.includes(item));
  const restaurantId = params.path.restaurantId;
  const field = (item: Item) => {
    const label = texts.field(item.name ?? item.terminalCode, item.terminalCode);
    const set = (code: string) => setCodes({ ...codes, [item.terminalCode]: code });
    const common = { label, value: codeOf(item), maxLength: MAX_CODE };
    return hasCatalogue ? (
      <CatalogueField
        key={item.terminalCode}
        {...common}
        name={item.name ?? ''}
        restaurantId={restaurantId}
        onChange={set}
      />
    ) : (
      <Field
        key={item.terminalCode}
        {...common}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => set(target.value)}
      />
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed.length > 0) sending.mutate();
  };
  return (
    <form className="map-order" onSubmit={submit}>
      <h3>{texts.title}</h3>
      <p className="fine">{texts.help}</p>
      {named.map(field)}
      {others.length > 0 && (
        <details>
          <summary>{texts.others(others.length)}</summary>
          {others.map(field)}
        </details>
      )}
      <Button type="submit" kind="primary" icon="repeat" busy={sending.isPending} disabled={changed.length === 0}>
        {texts.send}
      </Button>
      {sending.error && <ErrorText error={sending.error} />}
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
