import type { RestaurantPageProps } from '../page-props.js';
import { AlertList } from './alert-list.js';
import { useTexts } from './texts.js';

/** The alerts of a restaurant. */
export default function RestaurantAlerts({ restaurant: { id, timezone, role } }: RestaurantPageProps) {
  const { title } = useTexts();
  return (
    <AlertList
      title={title}
      restaurantId={id}
      timezone={timezone}
      mayAcknowledge={role !== 'VIEWER' && role !== 'EMPLOYEE'}
    />
  );
}
