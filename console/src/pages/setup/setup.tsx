import { ButtonLink } from '../../design/button.js';
import { Page } from '../../design/page.js';
import { mayAdminister, mayManage } from '../../session/restaurants.js';
import type { RestaurantPageProps } from '../page-props.js';
import { ChecksPanel } from './checks.js';
import { CredentialsPanel } from './credentials-form.js';
import { OwnershipPanel } from './ownership.js';
import { PeoplePanel } from './people.js';
import { RestaurantPanel } from './restaurant-form.js';
import { TestSalePanel } from './test-sale.js';
import { useTexts } from './texts.js';
import './setup.css';

/** The set-up of a restaurant and its people. Roles that may change nothing see no buttons. */
export default function SetUp({ session, restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const { role } = restaurant;
  const userId = session.user.id;
  return (
    <Page title={texts.title}>
      <div className="setup">
        {mayAdminister(role) && (
          <div className="setup-column">
            <ChecksPanel key={restaurant.updatedAt} restaurant={restaurant} />
            <TestSalePanel restaurant={restaurant} />
          </div>
        )}
        <div className="setup-column">
          <RestaurantPanel restaurant={restaurant} />
          {mayAdminister(role) && <CredentialsPanel restaurant={restaurant} />}
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
