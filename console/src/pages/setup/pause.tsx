import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Field, SelectField } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { Resume, usePause } from '../../session/pause.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { usePauseTexts } from './texts.js';

const HOUR_MS = 3_600_000;
/** For how many hours a pause can be begun here. */
const HOURS = [1, 2, 4, 12, 24] as const;

/** Pauses what is sent for a restaurant, and resumes it (O49). */
export function PausePanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const texts = usePauseTexts();
  const shared = useSharedTexts().pause;
  const { dateTime } = useFormats();
  const queries = useQueryClient();
  const pause = usePause(restaurant.id);
  const { field, props, sending, rest } = useForm({
    initial: { reason: '', hours: '1' },
    send: ({ reason, hours }) =>
      answerOf(
        api.POST('/restaurants/{restaurantId}/pause', {
          params: { path: { restaurantId: restaurant.id } },
          body: { reason, until: new Date(Date.now() + Number(hours) * HOUR_MS).toISOString() },
        }),
      ),
    onSent: () => queries.invalidateQueries(),
    words: { reason: texts.reasonError },
  });
  return (
    <Panel title={texts.title}>
      {pause ? (
        <>
          <p>{shared.until(dateTime(pause.until, restaurant.timezone))}</p>
          <p className="fine">{shared.why(pause.reason, pause.by)}</p>
          <div className="row">
            <Resume restaurant={restaurant} />
          </div>
        </>
      ) : (
        <form {...props}>
          <p className="fine">{texts.intro}</p>
          <Field label={texts.reason} maxLength={200} required {...field('reason')} />
          <SelectField label={texts.hours} {...field('hours')}>
            {HOURS.map((hours) => (
              <option key={hours} value={String(hours)}>
                {texts.forHours(hours)}
              </option>
            ))}
          </SelectField>
          {rest && <ErrorText error={rest} />}
          <Button type="submit" busy={sending.isPending}>
            {texts.action}
          </Button>
        </form>
      )}
    </Panel>
  );
}
