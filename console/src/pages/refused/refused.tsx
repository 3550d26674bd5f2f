import { Page, Panel } from '../../design/page.js';
import { RefusedSales } from '../../refused-sales/refused-sales.js';
import { useTexts } from '../../refused-sales/texts.js';
import type { RestaurantPageProps } from '../page-props.js';

/** The refused sales of a restaurant. Tonight leads to them here where no alert lists them (N33). */
export default function Refused({ restaurant: { id, timezone } }: RestaurantPageProps) {
  const { title, list } = useTexts();
  return (
    <Page title={title}>
      <Panel title={list}>
        <RefusedSales restaurantId={id} timezone={timezone} />
      </Panel>
    </Page>
  );
}
