import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Page, Panel } from '../../design/page.js';
import { navigate } from '../../router/location.js';
import { fieldErrors, useFocusOnError } from './field-errors.js';
import { Outcome } from './outcome.js';
import { OWN_ZONE, type RestaurantField, RestaurantFields, type RestaurantValues } from './restaurant-fields.js';
import { useTexts } from './texts.js';
import './setup.css';

const FIELDS: readonly RestaurantField[] = [
  ...(['name', 'address', 'codeStoreTerminal', 'codeStorePos', 'timezone', 'dayClosesAt'] as const),
];

/** A new restaurant; whoever creates it becomes its owner. The zone of this device is most likely the restaurant's. */
export default function NewRestaurant() {
  const texts = useTexts();
  const queries = useQueryClient();
  const [values, setValues] = useState<RestaurantValues>(() => ({
    ...{ name: '', slug: '', address: '', codeStoreTerminal: '', codeStorePos: '', dayClosesAt: '04:00' },
    timezone: OWN_ZONE,
  }));
  const creating = useMutation({
    mutationFn: async () => {
      const { name, ...others } = values;
      const given = Object.entries(others).filter(([, value]) => value.trim() !== '');
      const body = { name, ...Object.fromEntries(given) };
      return (await answerOf(api.POST('/restaurants', { body }))).data;
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['restaurants'] });
      navigate(`/r/${id}/setup`);
    },
  });
  // of a field that is not in the form, the form says it as a whole
  const words = Object.fromEntries(FIELDS.map((field) => [field, texts.restaurant.errors[field] ?? '']));
  const { of, rest } = fieldErrors(creating.error, words, texts.restaurant.taken);
  const form = useFocusOnError(creating.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!creating.isPending) creating.mutate();
  };
  return (
    <Page title={texts.create.title}>
      <Panel title={texts.restaurant.title} className="new-restaurant">
        <form ref={form} className="stack" onSubmit={submit} noValidate>
          <p className="quiet">{texts.create.intro}</p>
          <RestaurantFields fields={FIELDS} values={values} errors={of} onChange={setValues} />
          <Outcome done={undefined} error={rest} />
          <div className="row">
            <Button type="submit" kind="primary" busy={creating.isPending}>
              {creating.isPending ? texts.saving : texts.create.button}
            </Button>
          </div>
        </form>
      </Panel>
    </Page>
  );
}
