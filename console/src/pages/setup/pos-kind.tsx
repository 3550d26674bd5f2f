import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { setupPlace } from '../../api/setup-place.js';
import { Choices } from '../../design/choices.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { Link } from '../../router/link.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { PosAddress } from './pos-address.js';
import { PosCredentials } from './pos-credentials.js';
import { fetches, isPushed } from './pulling-api.js';
import { usePullingTexts } from './texts.js';

const VENDOR = { sends: null, fetches: 'open-delivery' } as const;
type Way = keyof typeof VENDOR;

/** How orders reach the POS (N41): the relay sends them, or the POS fetches them with credentials that are made here. */
export function PosKindPanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const texts = usePullingTexts();
  const queries = useQueryClient();
  const { id: restaurantId } = restaurant;
  const way: Way = fetches(restaurant) ? 'fetches' : 'sends';
  const saving = useMutation({
    mutationFn: async (chosen: Way) => {
      const params = { path: { restaurantId } };
      const body = { posVendor: VENDOR[chosen] };
      await answerOf(api.PATCH('/restaurants/{restaurantId}', { params, body }));
      await queries.invalidateQueries({ predicate: ({ queryKey: [of] }) => of === 'restaurants' || of === 'overview' });
    },
  });
  return (
    <Panel title={texts.title}>
      <div className="stack">
        <Choices
          label={texts.vendor}
          choices={(Object.keys(VENDOR) as Way[]).map((value) => ({ value, label: texts.vendors[value] }))}
          value={saving.isPending ? saving.variables : way}
          onChange={(chosen) => saving.mutate(chosen)}
        />
        <p className="fine">{isPushed(restaurant) ? texts.push.help : texts.help[way]}</p>
        <Outcome
          done={saving.isSuccess && texts.saved}
          error={saving.error}
          known={{ VENDOR_HAS_ORDERS: texts.hasOrders }}
        />
        {way === 'fetches' && (
          <>
            {restaurant.currency === null && (
              <p>
                <Icon name="warning" /> {texts.currency}{' '}
                <Link to={setupPlace(restaurantId, 'restaurant')}>{texts.toCurrency}</Link>
              </p>
            )}
            <PosCredentials restaurant={restaurant} />
            <PosAddress restaurant={restaurant} onSend={saving.reset} />
          </>
        )}
      </div>
    </Panel>
  );
}
