import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Copyable } from '../../design/copy.js';
import { Answer, ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

/** The webhook of a restaurant; null: it has none. */
export function useAlertWebhook(restaurantId: string) {
  return useQuery({
    queryKey: ['alert-webhook', restaurantId],
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/alert-webhook', { params, signal }))).data;
    },
  });
}

/** The webhook that gets the restaurant's alerts: its address, a test when it is saved, and the secret, shown once. */
export function AlertWebhookPanel({ restaurant: { id: restaurantId } }: { readonly restaurant: OwnRestaurant }) {
  const { alertWebhook: texts } = useTexts();
  const params = { path: { restaurantId } };
  const queries = useQueryClient();
  const webhook = useAlertWebhook(restaurantId);
  const readAgain = () => queries.invalidateQueries({ queryKey: ['alert-webhook', restaurantId] });
  const { field, props, sending, rest } = useForm({
    initial: { url: '' },
    send: ({ url }) =>
      answerOf(api.PUT('/restaurants/{restaurantId}/alert-webhook', { params, body: { url: url.trim() } })),
    onSent: readAgain,
    words: { url: texts.urlError },
  });
  const removing = useMutation({
    mutationFn: () => api.DELETE('/restaurants/{restaurantId}/alert-webhook', { params }),
    onSettled: readAgain,
  });
  const saved = sending.data?.data;
  return (
    <Panel title={texts.title}>
      <p className="fine">{texts.intro}</p>
      <Answer query={webhook} lines={1}>
        {(known) =>
          known && (
            <div className="stack">
              <p>
                <bdi className="named">{known.url}</bdi>{' '}
                <span className={`badge tone-${known.confirmed ? 'good' : 'wait'}`}>
                  <Icon name={known.confirmed ? 'check' : 'clock'} />
                  {known.confirmed ? texts.works : texts.doesNotWork}
                </span>
              </p>
              {known.failure && (
                <p className="fine" lang="en">
                  {known.failure}
                </p>
              )}
              <div className="row">
                <Button icon="cross" busy={removing.isPending} onClick={() => removing.mutate()}>
                  {texts.remove}
                </Button>
              </div>
              {removing.error && <ErrorText error={removing.error} />}
            </div>
          )
        }
      </Answer>
      <form {...props}>
        <Field label={texts.url} type="url" required maxLength={2000} hint={texts.urlHint} {...field('url')} />
        <Outcome done={saved && (saved.confirmed ? texts.saved : undefined)} error={rest} />
        {saved && !saved.confirmed && (
          <p role="alert">
            {texts.notConfirmed} <span lang="en">{saved.test.reason}</span>
          </p>
        )}
        {saved?.secret && (
          <div className="stack">
            <p>{texts.secret}</p>
            <Copyable text={saved.secret} />
          </div>
        )}
        <div className="row">
          <Button type="submit" busy={sending.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
