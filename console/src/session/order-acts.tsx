import type { View } from '../api/client.js';
import { orderPlace } from '../api/order-place.js';
import type { Badge } from '../design/badge.js';
import { ButtonLink } from '../design/button.js';
import { actsFor, type Cause, mayBeThere, type Subject } from '../design/cause.js';
import { useSharedTexts } from '../i18n/shared.js';
import { EnterOne } from './enter-one.js';
import { mayManage, type OwnRestaurant } from './restaurants.js';
import { SendOne } from './send-one.js';
import { useHas } from './session.js';

/** Whether the user may say what the POS calls a product (I8). */
export function useMayMap({ role }: OwnRestaurant): boolean {
  return useHas()('codes') && mayManage(role);
}

/** The way to the page of an order, where the POS's code of its product is entered (I8). */
export function MapLink({
  restaurant,
  transactionKey,
  name,
  kind,
}: {
  readonly restaurant: OwnRestaurant;
  readonly transactionKey: string;
  /** the number of the order, or its key; absent: it stands for several orders */
  readonly name?: string;
  readonly kind: 'primary' | 'plain';
}) {
  const texts = useSharedTexts();
  return (
    <ButtonLink to={orderPlace(restaurant.id, transactionKey)} icon="arrow" kind={kind}>
      {texts.mapProduct}
      {name !== undefined && <span className="unseen"> {name}</span>}
    </ButtonLink>
  );
}

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
  isInCard = false,
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
  /** the first of its buttons stands out */
  readonly isInCard?: boolean;
}) {
  const mayMap = useMayMap(restaurant);
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
    if (act === 'map')
      return (
        mayMap && (
          <MapLink
            key={act}
            restaurant={restaurant}
            transactionKey={transactionKey}
            name={name}
            kind={isInCard ? 'primary' : 'plain'}
          />
        )
      );
    return (
      act === 'send' &&
      maySend && (
        <SendOne key={act} restaurantId={restaurant.id} transactionKey={transactionKey} name={name} badge={badge} />
      )
    );
  });
}
