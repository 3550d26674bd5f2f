import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { pauseOf } from '../../api/queries.js';
import { Button, ButtonLink } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { Panel } from '../../design/page.js';
import { StateBadge, stateOf } from '../../design/states.js';
import { useFormats } from '../../i18n/formats.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

/** While somebody watches it arrive. */
const WATCH_MS = 1_000;

/** A sale as a terminal sends it, marked as a test (W21), and then its way to the POS. */
export function TestSalePanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { testSale: texts } = useTexts();
  const [key, setKey] = useState<string>();
  return (
    <Panel title={texts.title}>
      <div className="stack">
        <p className="quiet">{texts.intro}</p>
        {restaurant.role === 'OWNER' ? (
          <SaleForm restaurant={restaurant} onSent={setKey} />
        ) : (
          <p className="fine">{texts.onlyOwner}</p>
        )}
        {key && <Journey key={key} restaurantId={restaurant.id} sentKey={key} />}
      </div>
    </Panel>
  );
}

function SaleForm({
  restaurant,
  onSent,
}: {
  readonly restaurant: OwnRestaurant;
  readonly onSent: (key: string | undefined) => void;
}) {
  const { testSale: texts } = useTexts();
  const { amount } = useFormats();
  const [item, setItem] = useState({ itemCode: '', itemName: texts.itemNameDefault, price: amount(100) });
  const [isPriceWrong, setPriceWrong] = useState(false);
  const sending = useMutation({
    mutationFn: async (price: number) => {
      const { itemCode, itemName } = item;
      const transactionKey = `TEST-${crypto.randomUUID()}`;
      const { id: restaurantId, codeStoreTerminal } = restaurant;
      const body = {
        ...{ transactionKey, isTestTransaction: true, restaurantId, transactionDate: new Date().toISOString() },
        // named by both, so that the code is tried as a terminal would send it
        ...(codeStoreTerminal ? { storeCode: codeStoreTerminal } : {}),
        ...{ totalAmount: price, items: [{ itemCode, itemName, quantity: 1, price }] },
        payments: [{ tenderType: 1, amount: price }],
      };
      const { warnings = [] } = await answerOf(api.POST('/webhooks/terminal', { body }));
      return { transactionKey, warnings };
    },
    onMutate: () => onSent(undefined),
    onSuccess: ({ transactionKey }) => onSent(transactionKey),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const price = Number(item.price.trim().replace(',', '.'));
    const isWrong = !(price > 0 && price < 1e10);
    setPriceWrong(isWrong);
    if (isWrong) event.currentTarget.querySelector<HTMLInputElement>('[name=price]')?.focus();
    else if (!sending.isPending) sending.mutate(price);
  };
  const field = (name: keyof typeof item) => ({
    name,
    autoComplete: 'off',
    required: true,
    maxLength: 100,
    value: item[name],
    onChange: ({ target }: { target: HTMLInputElement }) => setItem({ ...item, [name]: target.value }),
  });
  return (
    <form className="stack" onSubmit={submit}>
      <Field label={texts.itemCode} hint={texts.itemCodeHint} spellCheck={false} {...field('itemCode')} />
      <Field label={texts.itemName} {...field('itemName')} />
      <Field
        label={texts.price}
        inputMode="decimal"
        error={isPriceWrong ? texts.priceError : undefined}
        {...field('price')}
      />
      <div role="status">
        {sending.error && <ErrorText error={sending.error} />}
        {sending.data && sending.data.warnings.length > 0 && (
          <>
            <p>{texts.warnings}</p>
            <ul className="error-messages" lang="en">
              {sending.data.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className="row">
        <Button type="submit" icon="flask" busy={sending.isPending}>
          {sending.isPending ? texts.sending : sending.data ? texts.more : texts.send}
        </Button>
      </div>
    </form>
  );
}

/** The order of the sale, looked at until the POS has taken or refused it. */
function Journey({ restaurantId, sentKey }: { readonly restaurantId: string; readonly sentKey: string }) {
  const { testSale: texts } = useTexts();
  const { data: order, error } = useQuery({
    queryKey: ['test sale', restaurantId, sentKey],
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId }, query: { search: sentKey, limit: 1 } };
      const { data } = await answerOf(api.GET('/restaurants/{restaurantId}/orders', { params, signal }));
      return data[0] ?? null;
    },
    refetchInterval: ({ state }) => (hasEnded(state.data?.status) ? false : pauseOf(WATCH_MS)),
    refetchIntervalInBackground: false,
  });
  const says = { SENT: texts.delivered, DLQ: texts.parked, FAILED: texts.retrying };
  return (
    <div className="journey" role="status">
      {order && <StateBadge state={stateOf(order)} />}
      <p>{(order && says[order.status as 'SENT']) ?? texts.accepted}</p>
      {order?.lastError && (
        <p className="fine">
          {texts.reason}: <span lang="en">{order.lastError}</span>
        </p>
      )}
      {error && <ErrorText error={error} />}
      {order && (
        <ButtonLink to={`/r/${restaurantId}/orders/${encodeURIComponent(order.transactionKey)}`} icon="arrow">
          {texts.open}
        </ButtonLink>
      )}
    </div>
  );
}

const hasEnded = (status: string | undefined) => status === 'SENT' || status === 'DLQ';
