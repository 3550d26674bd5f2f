import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Facts } from '../../design/facts.js';
import { Panel } from '../../design/page.js';
import { mayAdminister, type OwnRestaurant } from '../../session/restaurants.js';
import { fieldErrors, useFocusOnError } from './field-errors.js';
import { Outcome } from './outcome.js';
import { RESTAURANT_FIELDS, RestaurantFields, type RestaurantValues, valuesOf } from './restaurant-fields.js';
import { useTexts } from './texts.js';

/** What the restaurant is made of; to be changed by those who may. */
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
  const [values, setValues] = useState(() => valuesOf(restaurant));
  const [hint, setHint] = useState<string>();
  const saving = useMutation({
    mutationFn: (changes: Partial<Record<string, string | null>>) =>
      answerOf(
        api.PATCH('/restaurants/{restaurantId}', { params: { path: { restaurantId: restaurant.id } }, body: changes }),
      ),
    onSuccess: async () => {
      setHint(texts.saved);
      await queries.invalidateQueries({ queryKey: ['restaurants'] });
    },
  });
  const { of, rest } = fieldErrors(saving.error, texts.restaurant.errors, texts.restaurant.taken);
  const form = useFocusOnError(saving.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const changes = changesOf(valuesOf(restaurant), values);
    setHint(Object.keys(changes).length === 0 ? texts.nothingChanged : undefined);
    if (Object.keys(changes).length > 0 && !saving.isPending) saving.mutate(changes);
  };
  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate>
      <RestaurantFields fields={RESTAURANT_FIELDS} values={values} errors={of} onChange={setValues} />
      <Outcome done={saving.isPending ? undefined : hint} error={rest} />
      <div className="row">
        <Button type="submit" busy={saving.isPending}>
          {saving.isPending ? texts.saving : texts.save}
        </Button>
      </div>
    </form>
  );
}

/** Only what differs: who may not set a store code may change the address. An emptied field is cleared. */
function changesOf(before: RestaurantValues, after: RestaurantValues): Record<string, string | null> {
  const changed = RESTAURANT_FIELDS.filter((field) => after[field].trim() !== before[field]);
  const clearable = ['address', 'codeStoreTerminal', 'codeStorePos'];
  return Object.fromEntries(
    changed.map((field) => {
      const value = after[field].trim();
      return [field, value === '' && clearable.includes(field) ? null : value];
    }),
  );
}
