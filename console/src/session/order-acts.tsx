import type { View } from '../api/client.js';
import type { Badge } from '../design/badge.js';
import { actsFor, type Cause, mayBeThere, type Subject } from '../design/cause.js';
import { EnterOne } from './enter-one.js';
import type { OwnRestaurant } from './restaurants.js';
import { SendOne } from './send-one.js';

/** The buttons of an order in a card or a row: those of its remedy, the first before the others, that the user may press (R67). */
export function OrderActs({
  restaurant,
  transactionKey,
  name,
  badge,
  cause,
  subject,
  entered,
  maySend,
}: {
  readonly restaurant: OwnRestaurant;
  readonly transactionKey: string;
  /** the number of the order, or its key */
  readonly name: string;
  readonly badge: Badge;
  readonly cause: Cause;
  readonly subject: Subject;
  readonly entered?: Pick<View<'OrderView'>, 'enteredAt' | 'enteredBy'>;
  /** whether the user may send orders again (R36) */
  readonly maySend: boolean;
}) {
  return actsFor(badge, cause, subject).map((act) => {
    if (act === 'entered')
      return (
        <EnterOne
          key={act}
          restaurant={restaurant}
          transactionKey={transactionKey}
          name={name}
          mayBeThere={mayBeThere(cause)}
          {...(entered && { entered })}
        />
      );
    return (
      act === 'send' &&
      maySend && (
        <SendOne key={act} restaurantId={restaurant.id} transactionKey={transactionKey} name={name} badge={badge} />
      )
    );
  });
}
