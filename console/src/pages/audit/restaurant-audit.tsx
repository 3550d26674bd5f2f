import { EmptyState } from '../../design/feedback.js';
import { Page } from '../../design/page.js';
import { useSharedTexts } from '../../i18n/shared.js';
import type { RestaurantPageProps } from '../page-props.js';
import { AuditEntries } from './entries.js';
import { useTexts } from './texts.js';

/** The audit of a restaurant, for its OWNERs; the relay refuses it to others. */
export default function RestaurantAudit({ restaurant: { id, timezone, role } }: RestaurantPageProps) {
  const { title } = useTexts();
  const { errors } = useSharedTexts();
  if (role !== 'OWNER')
    return (
      <Page title={title}>
        <EmptyState icon="person" title={errors[403]} />
      </Page>
    );
  return <AuditEntries title={title} restaurantId={id} timezone={timezone} />;
}
