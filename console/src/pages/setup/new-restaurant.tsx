import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { setupPlace } from '../../api/setup-place.js';
import { Button } from '../../design/button.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { Page, Panel } from '../../design/page.js';
import { navigate } from '../../router/location.js';
import { OWN_ZONE, type RestaurantField, RestaurantFields } from './restaurant-fields.js';
import { useTexts } from './texts.js';
import './setup.css';

const FIELDS: readonly RestaurantField[] = [
  ...(['name', 'address', 'codeStoreTerminal', 'codeStorePos', 'timezone', 'dayClosesAt', 'currency'] as const),
];

/** A new restaurant; its creator becomes its owner. The time zone of this device is the first choice. */
export default function NewRestaurant() {
  const texts = useTexts();
  const queries = useQueryClient();
  const { sending, ...form } = useForm({
    initial: {
      ...{
        name: '',
        slug: '',
        address: '',
        codeStoreTerminal: '',
        codeStorePos: '',
        dayClosesAt: '04:00',
        currency: '',
      },
      timezone: OWN_ZONE,
    },
    send: async ({ name, ...others }) => {
      const given = Object.entries(others).filter(([, value]) => value.trim() !== '');
      const body = { name, ...Object.fromEntries(given) };
      return (await answerOf(api.POST('/restaurants', { body }))).data;
    },
    onSent: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['restaurants'] });
      navigate(setupPlace(id));
    },
    // errors of a field that the form does not have are shown below the form
    words: Object.fromEntries(FIELDS.map((field) => [field, texts.restaurant.errors[field] ?? ''])),
    taken: texts.restaurant.taken,
  });
  return (
    <Page title={texts.create.title}>
      <Panel title={texts.restaurant.title} className="new-restaurant">
        <form {...form.props} noValidate>
          <p className="quiet">{texts.create.intro}</p>
          <RestaurantFields fields={FIELDS} form={form} />
          <Outcome error={form.rest} known={{ ONBOARDING_BY_ADMIN: texts.byPlatform }} />
          <div className="row">
            <Button type="submit" kind="primary" busy={sending.isPending}>
              {sending.isPending ? texts.saving : texts.create.button}
            </Button>
          </div>
        </form>
      </Panel>
    </Page>
  );
}
