import { Answer } from '../../design/feedback.js';
import { Page } from '../../design/page.js';
import { Hours } from '../../hours/hours-panel.js';
import { useFormats } from '../../i18n/formats.js';
import { AcceptLink } from '../../session/accept-link.js';
import { useLive } from '../../session/live.js';
import type { RestaurantPageProps } from '../page-props.js';
import { Light } from './light.js';
import { Needs } from './needs.js';
import { Orders } from './orders.js';
import { useRestaurantState, useTakings } from './queries.js';
import { TakingsPanel } from './takings.js';
import { useTexts } from './texts.js';
import './light.css';
import './tonight.css';
import './orders.css';

/** Whether tonight's orders are in the POS; below it the orders, the takings, and the hours. */
export default function Tonight({ restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const { shortDay, zone } = useFormats();
  useLive(restaurant.id);
  const state = useRestaurantState(restaurant.id);
  const takings = useTakings(restaurant.id, state.data?.today.day);
  const { data } = state;
  return (
    <Page
      title={texts.title}
      aside={data && <p className="quiet">{texts.businessDay(shortDay(data.today.day), zone(data.timezone))}</p>}
    >
      <Answer query={state} lines={6}>
        {(known) => (
          <>
            <Light state={known} readAt={state.dataUpdatedAt} timezone={restaurant.timezone} />
            <Needs state={known} readAt={state.dataUpdatedAt} restaurant={restaurant} />
          </>
        )}
      </Answer>
      <AcceptLink restaurant={restaurant} />
      {/* what needs somebody comes above it, and would push it down */}
      {!state.isPending && (
        <div className="evening">
          <TakingsPanel statistics={takings} />
          <Orders restaurant={restaurant} state={data} readAt={state.dataUpdatedAt} />
          <Hours statistics={takings.data} restaurantId={restaurant.id} />
        </div>
      )}
    </Page>
  );
}
