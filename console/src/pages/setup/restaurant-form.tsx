import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Facts } from '../../design/facts.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { mayAdminister, type OwnRestaurant } from '../../session/restaurants.js';
import { RESTAURANT_FIELDS, RestaurantFields, type RestaurantValues, valuesOf } from './restaurant-fields.js';
import { useTexts } from './texts.js';

/** The fields of the restaurant: a form for roles that may change them. */
export function RestaurantPanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { restaurant: texts, notSet, readOnly } = useTexts();
  const values = valuesOf(restaurant);
  return (
    <Panel title={texts.title}>
      {mayAdminister(restaurant.role) ? (
        <RestaurantForm restaurant={restaurant} />
      ) : (
        <div className="stack">
          <Facts
            facts={RESTAURANT_FIELDS.map((field) => [
              texts.fields[field],
              values[field] === '' ? (
                <span key={field} className="quiet">
                  {notSet}
                </span>
              ) : (
                values[field]
              ),
            ])}
          />
          <p className="fine">{readOnly}</p>
        </div>
      )}
    </Panel>
  );
}

function RestaurantForm({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const { sending, ...form } = useForm({
    initial: valuesOf(restaurant),
    send: async (values) => {
      const body = changesOf(valuesOf(restaurant), values);
      if (Object.keys(body).length === 0) return texts.nothingChanged;
      const params = { path: { restaurantId: restaurant.id } };
      await answerOf(api.PATCH('/restaurants/{restaurantId}', { params, body }));
      await queries.invalidateQueries({ predicate: ({ queryKey: [of] }) => of === 'restaurants' || of === 'overview' });
      return texts.saved;
    },
    words: texts.restaurant.errors,
    taken: texts.restaurant.taken,
  });
  return (
    <form {...form.props} noValidate>
      <RestaurantFields fields={RESTAURANT_FIELDS} form={form} />
      <Outcome done={sending.data} error={form.rest} known={{ ONBOARDING_BY_ADMIN: texts.byPlatform }} />
      <div className="row">
        <Button type="submit" busy={sending.isPending}>
          {sending.isPending ? texts.saving : texts.save}
        </Button>
      </div>
    </form>
  );
}

/** Only the changed fields: without the right to set a store code, the address can be changed. An emptied field is cleared. */
function changesOf(before: RestaurantValues, after: RestaurantValues): Record<string, string | null> {
  const changed = RESTAURANT_FIELDS.filter((field) => after[field].trim() !== before[field]);
  const clearable = ['address', 'codeStoreTerminal', 'codeStorePos', 'currency'];
  return Object.fromEntries(
    changed.map((field) => {
      const value = after[field].trim();
      return [field, value === '' && clearable.includes(field) ? null : value];
    }),
  );
}
