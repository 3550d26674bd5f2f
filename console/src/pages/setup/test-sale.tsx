import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { pauseOf } from '../../api/queries.js';
import { badgeOf } from '../../design/badge.js';
import { Button, ButtonLink } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { StateBadge } from '../../design/states.js';
import { useWhy } from '../../design/why.js';
import { useFormats } from '../../i18n/formats.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

/** How often the order is read while somebody watches it. */
const WATCH_MS = 1_000;

/** Sends a sale as a terminal does, marked as a test (W21), and follows it to the POS. */
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
        {key && <SaleProgress key={key} restaurantId={restaurant.id} sentKey={key} />}
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
  const { decimal } = useFormats();
  const form = useForm({
    initial: { itemCode: '', itemName: texts.itemNameDefault, price: decimal(100) },
    check: ({ price }) => (isPrice(priceOf(price)) ? {} : { price: texts.priceError }),
    send: async ({ itemCode, itemName, price: typed }) => {
      onSent(undefined);
      const price = priceOf(typed);
      const transactionKey = `TEST-${crypto.randomUUID()}`;
      const { id: restaurantId, codeStoreTerminal } = restaurant;
      const body = {
        ...{ transactionKey, isTestTransaction: true, restaurantId, transactionDate: new Date().toISOString() },
        // both: the code is tried as a terminal would send it
        ...(codeStoreTerminal ? { storeCode: codeStoreTerminal } : {}),
        ...{ totalAmount: price, items: [{ itemCode, itemName, quantity: 1, price }] },
        payments: [{ tenderType: 1, amount: price }],
      };
      const { warnings = [] } = await answerOf(api.POST('/webhooks/terminal', { body }));
      return { transactionKey, warnings };
    },
    onSent: ({ transactionKey }) => onSent(transactionKey),
  });
  const { data, isPending } = form.sending;
  const field = (name: keyof typeof form.values) => ({
    ...{ autoComplete: 'off', required: true, maxLength: 100 },
    ...form.field(name),
  });
  return (
    <form {...form.props}>
      <Field label={texts.itemCode} hint={texts.itemCodeHint} spellCheck={false} {...field('itemCode')} />
      <Field label={texts.itemName} {...field('itemName')} />
      <Field label={texts.price} inputMode="decimal" {...field('price')} />
      <Outcome error={form.rest}>
        {data && data.warnings.length > 0 && (
          <>
            <p>{texts.warnings}</p>
            <ul className="error-messages" lang="en">
              {data.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </>
        )}
      </Outcome>
      <div className="row">
        <Button type="submit" icon="flask" busy={isPending}>
          {isPending ? texts.sending : data ? texts.more : texts.send}
        </Button>
      </div>
    </form>
  );
}

const priceOf = (typed: string) => Number(typed.trim().replace(',', '.'));
const isPrice = (price: number) => price > 0 && price < 1e10;

/** The order of the sale, followed until the POS has accepted or refused it. */
function SaleProgress({ restaurantId, sentKey }: { readonly restaurantId: string; readonly sentKey: string }) {
  const { testSale: texts } = useTexts();
  const why = useWhy();
  const { data: order, error } = useQuery({
    queryKey: ['test sale', restaurantId, sentKey],
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId }, query: { search: sentKey, limit: 1 } };
      const { data } = await answerOf(api.GET('/restaurants/{restaurantId}/orders', { params, signal }));
      return data[0] ?? null;
    },
    refetchInterval: ({ state }) => (isSettled(state.data?.status) ? false : pauseOf(WATCH_MS)),
    refetchIntervalInBackground: false,
  });
  const says = { SENT: texts.delivered, DLQ: texts.parked, FAILED: texts.retrying };
  return (
    <div className="journey" role="status">
      {order && <StateBadge badge={badgeOf(order)} />}
      <p>{(order && says[order.status as 'SENT']) ?? texts.accepted}</p>
      {order?.lastError && (
        <p className="fine">
          {texts.reason}: {why(order.cause, order.lastError)}
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

const isSettled = (status: string | undefined) => status === 'SENT' || status === 'DLQ';
