import { setupPlace } from '../../api/setup-place.js';
import { ButtonLink } from '../../design/button.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Page, Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { mayAdminister, type OwnRestaurant } from '../../session/restaurants.js';
import type { RestaurantPageProps } from '../page-props.js';
import { AddTender, CodeTable } from './codes.js';
import { DefaultItem } from './default-item.js';
import { useCodes, useProducts } from './queries.js';
import { SoldProducts } from './sold.js';
import { useTexts } from './texts.js';
import './products.css';

/** What the POS calls what a restaurant sells, and how it is paid (N39). Only an OWNER or ADMIN changes it. */
export default function Products({ restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const mayChange = mayAdminister(restaurant.role);
  return (
    <Page
      title={texts.title}
      aside={
        <ButtonLink to={setupPlace(restaurant.id)} icon="sliders">
          {texts.toSetup}
        </ButtonLink>
      }
    >
      <div className="stack">
        <p className="quiet">{texts.intro}</p>
        <Sold restaurant={restaurant} />
        {mayChange && (
          <Panel title={texts.fallback.title}>
            <div className="stack">
              <p className="fine">{texts.fallback.intro}</p>
              <DefaultItem restaurant={restaurant} />
            </div>
          </Panel>
        )}
        <Codes restaurant={restaurant} mayChange={mayChange} />
      </div>
    </Page>
  );
}

function Sold({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { sold: texts } = useTexts();
  const { dateTime } = useFormats();
  return (
    <Panel title={texts.title}>
      <Answer query={useProducts(restaurant.id)} lines={8}>
        {({ data, meta }) => (
          <>
            {meta.from !== null && (
              <p className="fine">{texts.from(meta.sales, dateTime(meta.from, restaurant.timezone))}</p>
            )}
            {data.length === 0 ? (
              <EmptyState title={texts.none} />
            ) : (
              <SoldProducts products={data} restaurant={restaurant} />
            )}
          </>
        )}
      </Answer>
    </Panel>
  );
}

/** The codes that stand in no other list of the page. */
function Codes({ restaurant, mayChange }: { readonly restaurant: OwnRestaurant; readonly mayChange: boolean }) {
  const { tenders, others } = useTexts();
  const codes = useCodes(restaurant.id);
  const sold = new Set(useProducts(restaurant.id).data?.data.map(({ terminalCode }) => terminalCode));
  return (
    <Answer query={codes} lines={3}>
      {(known) => {
        const unsold = known.filter(({ kind, terminalCode }) => kind === 'ITEM' && !sold.has(terminalCode));
        const ofTenders = known.filter(({ kind }) => kind === 'TENDER');
        return (
          <>
            {unsold.length > 0 && (
              <Panel title={others.title}>
                <CodeTable caption={others.title} codes={unsold} restaurant={restaurant} />
              </Panel>
            )}
            <Panel title={tenders.title}>
              <div className="stack">
                <p className="fine">{tenders.intro}</p>
                {ofTenders.length === 0 ? (
                  <p className="quiet">{tenders.none}</p>
                ) : (
                  <CodeTable caption={tenders.title} codes={ofTenders} restaurant={restaurant} />
                )}
                {mayChange && <AddTender restaurantId={restaurant.id} />}
              </div>
            </Panel>
          </>
        );
      }}
    </Answer>
  );
}
