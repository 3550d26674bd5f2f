import type { View } from '../../api/client.js';
import { orderPlace } from '../../api/order-place.js';
import { wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { Link } from '../../router/link.js';
import { useTexts } from './texts.js';

/** Whether the relay or the POS said anything of what is wrong. */
export function hasDetails({ parked, waiting }: View<'StateView'>): boolean {
  return parked.causes.length > 0 || Boolean(waiting.failing?.error);
}

/** What the relay and the POS said of it, word for word; an example of each parked cause is a link. */
export function Details({
  id,
  state,
  restaurantId,
}: {
  readonly id: string;
  readonly state: View<'StateView'>;
  readonly restaurantId: string;
}) {
  const texts = useTexts();
  const { causes } = useCauseWords();
  const { failing } = state.waiting;
  return (
    <ul id={id} className="light-details">
      {failing?.error && (
        <li>
          <bdi lang="en">{failing.error}</bdi>
        </li>
      )}
      {state.parked.causes.map(({ action, cause, kind, count, transactionKey, transactionNumber }) => (
        <li key={`${action} ${kind} ${cause}`}>
          {texts.detail(count, wordsFor(causes, kind))}{' '}
          <Link to={orderPlace(restaurantId, transactionKey)}>
            <bdi>{transactionNumber ?? transactionKey}</bdi>
          </Link>
          {cause !== null && (
            <blockquote lang="en">
              <bdi>{cause}</bdi>
            </blockquote>
          )}
        </li>
      ))}
    </ul>
  );
}
