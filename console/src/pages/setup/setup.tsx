import { ButtonLink } from '../../design/button.js';
import { Page } from '../../design/page.js';
import { SenderKeysPanel } from '../../sender-keys/sender-keys.js';
import { mayAdminister, mayManage } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import type { RestaurantPageProps } from '../page-props.js';
import { AlertWebhookPanel } from './alert-webhook.js';
import { ChecksPanel } from './checks.js';
import { CredentialsPanel } from './credentials-form.js';
import { EraseOldPanel } from './erase-old.js';
import { OwnershipPanel } from './ownership.js';
import { PeoplePanel } from './people.js';
import { PrintersPanel } from './printers.js';
import { RestaurantPanel } from './restaurant-form.js';
import { StepsPanel, useStepsLeft } from './steps.js';
import { TestSalePanel } from './test-sale.js';
import { useTexts } from './texts.js';
import './setup.css';

/** The set-up of a restaurant and its people. Roles that may change nothing see no buttons. */
export default function SetUp({ session, restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const { role } = restaurant;
  const userId = session.user.id;
  const left = useStepsLeft(restaurant.id);
  const isNew = left.length > 0;
  const has = useHas();
  return (
    <Page title={texts.title}>
      {mayAdminister(role) && isNew && <StepsPanel left={left} />}
      <div className="setup">
        {mayAdminister(role) && (
          <div className="setup-column">
            {has('doctor') && <ChecksPanel key={restaurant.updatedAt} restaurant={restaurant} isFirst={!isNew} />}
            <div id="setup-test-sale">
              <TestSalePanel restaurant={restaurant} />
            </div>
            <SenderKeysPanel restaurantId={restaurant.id} timezone={restaurant.timezone} />
          </div>
        )}
        <div className="setup-column">
          <div id="setup-restaurant">
            <RestaurantPanel restaurant={restaurant} />
          </div>
          {mayAdminister(role) && (
            <div id="setup-credentials">
              <CredentialsPanel restaurant={restaurant} />
            </div>
          )}
          {mayAdminister(role) && has('channels') && <AlertWebhookPanel restaurant={restaurant} />}
          {mayAdminister(role) && has('tickets') && <PrintersPanel restaurant={restaurant} />}
          {mayAdminister(role) && has('personal-data') && <EraseOldPanel restaurantId={restaurant.id} />}
        </div>
        {mayManage(role) && (
          <div className="setup-column setup-wide">
            <PeoplePanel restaurant={restaurant} userId={userId} />
            {role === 'OWNER' && <OwnershipPanel restaurant={restaurant} userId={userId} />}
          </div>
        )}
      </div>
      {role === 'OWNER' && (
        <p className="setup-end">
          <ButtonLink to="/new" icon="sliders">
            {texts.create.another}
          </ButtonLink>
        </p>
      )}
    </Page>
  );
}
