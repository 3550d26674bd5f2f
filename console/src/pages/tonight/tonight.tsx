import { Answer } from '../../design/feedback.js';
import { Page } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { AcceptLink } from '../../session/accept-link.js';
import { useLive } from '../../session/live.js';
import type { RestaurantPageProps } from '../page-props.js';
import { Light } from './light.js';
import { Needs } from './needs.js';
import { Orders } from './orders.js';
import { useRestaurantState, useTakings } from './queries.js';
import { Hours, TakingsPanel } from './takings.js';
import { useTexts } from './texts.js';
import './light.css';
import './tonight.css';
import './orders.css';

/** Whether tonight's orders are in the POS; below it the orders, the takings, and the hours. */
export default function Tonight({ restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const { shortDay } = useFormats();
  useLive(restaurant.id);
  const state = useRestaurantState(restaurant.id);
  const takings = useTakings(restaurant.id, state.data?.today.day);
  const { data } = state;
  return (
    <Page
      title={texts.title}
      aside={data && <p className="quiet">{texts.businessDay(shortDay(data.today.day), cityOf(data.timezone))}</p>}
    >
      <Answer query={state} lines={3}>
        {(known) => (
          <>
            <Light state={known} readAt={state.dataUpdatedAt} timezone={restaurant.timezone} />
            <Needs state={known} readAt={state.dataUpdatedAt} restaurant={restaurant} />
          </>
        )}
      </Answer>
      <AcceptLink restaurant={restaurant} />
      <div className="evening">
        <TakingsPanel statistics={takings} />
        <Orders restaurant={restaurant} state={data} readAt={state.dataUpdatedAt} />
        <Hours statistics={takings.data} restaurantId={restaurant.id} timezone={restaurant.timezone} />
      </div>
    </Page>
  );
}

/** `Sao Paulo` for `America/Sao_Paulo`. */
function cityOf(timezone: string): string {
  return (timezone.split('/').at(-1) ?? timezone).replaceAll('_', ' ');
}
