import { useState } from 'react';
import type { View } from '../api/client.js';
import { orderPlace } from '../api/order-place.js';
import { Answer } from '../design/feedback.js';
import { useFormats } from '../i18n/formats.js';
import { Link } from '../router/link.js';
import { useRefusedSale, useRefusedSales } from './queries.js';
import { useTexts } from './texts.js';

/** The sales that came under the key of another one (W46): number, amount and content, so that they can be entered by hand. */
export function RefusedSales({ restaurantId, timezone }: { readonly restaurantId: string; readonly timezone: string }) {
  const texts = useTexts();
  const { amount, dateTime } = useFormats();
  const sales = useRefusedSales(restaurantId);
  return (
    <>
      <p>{texts.help}</p>
      <Answer query={sales} lines={2}>
        {({ data }) => (
          <ul className="plain-list">
            {data.map((sale) => (
              <li key={sale.id}>
                <p className="row">
                  <bdi>{sale.transactionNumber || sale.transactionKey}</bdi>
                  <span className="amount">{amount(sale.netCents)}</span>
                  <span className="quiet">{dateTime(sale.receivedAt, timezone)}</span>
                  <span className="quiet">{texts.times(sale.times)}</span>
                  <Link to={orderPlace(restaurantId, sale.transactionKey)}>{texts.first}</Link>
                </p>
                {sale.erased ? (
                  <p className="quiet">{texts.erased}</p>
                ) : (
                  <Sent sale={sale} restaurantId={restaurantId} />
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </>
  );
}

/** What the terminal sent: read when somebody asks for it. */
function Sent({ sale, restaurantId }: { readonly sale: View<'RefusedSaleView'>; readonly restaurantId: string }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.sent}</summary>
      {isOpen && <Content saleId={sale.id} restaurantId={restaurantId} />}
    </details>
  );
}

function Content({ saleId, restaurantId }: { readonly saleId: string; readonly restaurantId: string }) {
  const sale = useRefusedSale(restaurantId, saleId);
  return (
    <Answer query={sale} lines={4}>
      {({ event }) => <pre>{JSON.stringify(event, null, 2)}</pre>}
    </Answer>
  );
}
