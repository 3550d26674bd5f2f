import { useMutation } from '@tanstack/react-query';
import type { View } from '../../api/client.js';
import { useNow } from '../../browser/now.js';
import { Button } from '../../design/button.js';
import { Answer } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { endOtherSessions, useSessions } from '../../session/session.js';
import { useTexts } from './texts.js';

type SessionRow = View<'SignedInView'>;

/** A session seen less than this ago is in use, in ms: the relay writes it at most once a minute. */
const IN_USE_MS = 120_000;

/** The user's sessions of the console, with a button that ends all others. */
export function SessionsPanel() {
  const texts = useTexts();
  const sessions = useSessions();
  const ending = useMutation({ mutationFn: endOtherSessions });
  return (
    <Panel title={texts.sessions}>
      <Answer query={sessions} lines={3}>
        {(all) => (
          <div className="stack">
            <ul className="plain-list">
              {all.map((session) => (
                <SignedInItem key={session.id} session={session} />
              ))}
            </ul>
            <p className="fine">{texts.sessionsHelp}</p>
            <Outcome done={ending.isSuccess && texts.ended(ending.data)} error={ending.error} />
            {all.length > 1 ? (
              <div className="row">
                <Button icon="cross" busy={ending.isPending} onClick={() => ending.mutate()}>
                  {texts.endOthers}
                </Button>
              </div>
            ) : (
              !ending.isSuccess && <p className="quiet">{texts.onlyHere}</p>
            )}
          </div>
        )}
      </Answer>
    </Panel>
  );
}

function SignedInItem({ session }: { readonly session: SessionRow }) {
  const texts = useTexts();
  const { relative } = useFormats();
  const now = useNow(60_000);
  const { browser, address, createdAt, lastSeenAt, current } = session;
  const isInUse = current || now - Date.parse(lastSeenAt) < IN_USE_MS;
  return (
    <li>
      <b>{browser ?? texts.unknownBrowser}</b> {texts.from(address)}{' '}
      {current && (
        <span className="badge tone-good">
          <Icon name="check" />
          {texts.thisOne}
        </span>
      )}
      <p className="fine">
        {texts.since(relative(createdAt, Math.max(now, Date.parse(createdAt) + 1_000)))} ·{' '}
        {isInUse ? texts.inUse : texts.seen(relative(lastSeenAt, now))}
      </p>
    </li>
  );
}
