import { Icon } from '../design/icons.js';
import { useFormats } from '../i18n/formats.js';
import { isolated } from '../i18n/isolated.js';
import type { SenderKeys } from './keys-api.js';
import { useTexts } from './texts.js';

/** A line for each person whose password or sign-in terminals send sales with (V14), and what to do about it. */
export function SellingPersons({
  persons,
  timezone,
}: {
  readonly persons: SenderKeys['persons'];
  readonly timezone: string;
}) {
  const { persons: texts } = useTexts();
  const { dateTime } = useFormats();
  if (persons.length === 0) return null;
  return (
    <div className="selling-persons" role="note">
      {persons.map(({ userId, email, by, at }) => (
        <p key={`${userId} ${by}`}>
          <Icon name="warning" /> {texts[by](isolated(email ?? texts.somebody), dateTime(at, timezone))}
        </p>
      ))}
      <p className="fine">{texts.help}</p>
    </div>
  );
}
