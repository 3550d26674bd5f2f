import { useMutation } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { Button } from '../design/button.js';
import { ErrorText } from '../design/feedback.js';
import { Icon } from '../design/icons.js';
import { LanguageSwitch } from '../design/language-switch.js';
import { useSharedTexts } from '../i18n/shared.js';
import { Link } from '../router/link.js';
import { useNavigation } from './navigation.js';
import type { OwnRestaurant } from './restaurants.js';
import { type Session, signOut } from './session.js';

/** Account, language and sign-out, in the browser's own popover: Escape and a click beside it close it. */
export function AccountMenu({
  session,
  restaurant,
}: {
  readonly session: Session;
  readonly restaurant: OwnRestaurant | undefined;
}) {
  const { nav } = useSharedTexts();
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const elsewhere = useNavigation(session, restaurant).filter(({ isElsewhere }) => isElsewhere);
  const leaving = useMutation({ mutationFn: signOut });
  return (
    <div className="account">
      <button type="button" className="account-button" popoverTarget={id} aria-label={nav.menu}>
        <Icon name="person" />
      </button>
      <div id={id} ref={panel} popover="auto" className="account-panel">
        <p className="fine">{nav.signedInAs(session.user.email)}</p>
        <Link to="/account" className="account-link" onClick={() => panel.current?.hidePopover()}>
          <Icon name="person" /> {nav.account}
        </Link>
        {elsewhere.map(({ to, label, icon }) => (
          <Link key={to} to={to} className="account-link" onClick={() => panel.current?.hidePopover()}>
            <Icon name={icon} /> {label}
          </Link>
        ))}
        <LanguageSwitch />
        <Button icon="back" busy={leaving.isPending} onClick={() => leaving.mutate()}>
          {nav.signOut}
        </Button>
        {leaving.error && <ErrorText error={leaving.error} />}
        {session.version && <p className="fine">{nav.version(session.version)}</p>}
      </div>
    </div>
  );
}
