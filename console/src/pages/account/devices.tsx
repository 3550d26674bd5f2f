import { useNow } from '../../browser/now.js';
import { Button } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import { type Device, useRemoveDevice } from './notification-queries.js';
import { useTexts } from './texts.js';

/** The devices that receive the user's notifications, each with a button that removes it. */
export function Devices({ devices }: { readonly devices: readonly Device[] }) {
  const { notifications: texts, unknownBrowser } = useTexts();
  const { relative } = useFormats();
  const now = useNow(60_000);
  const removing = useRemoveDevice();
  if (devices.length === 0) return null;
  return (
    <>
      <ul className="plain-list">
        {devices.map(({ id, browser, confirmed, createdAt, failure }) => (
          <li key={id}>
            <b>{browser ?? unknownBrowser}</b>{' '}
            <span className={`badge tone-${confirmed ? 'good' : 'wait'}`}>
              <Icon name={confirmed ? 'check' : 'clock'} />
              {confirmed ? texts.isConfirmed : texts.isNotConfirmed}
            </span>
            <p className="fine">
              {texts.added(relative(createdAt, Math.max(now, Date.parse(createdAt) + 1_000)))}
              {failure && (
                <>
                  {' · '}
                  <span lang="en">{failure}</span>
                </>
              )}
            </p>
            <Button kind="quiet" icon="cross" busy={removing.isPending} onClick={() => removing.mutate(id)}>
              {texts.remove}
            </Button>
          </li>
        ))}
      </ul>
      {removing.error && <ErrorText error={removing.error} />}
    </>
  );
}
