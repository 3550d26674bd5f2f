import { Button } from '../../design/button.js';
import { Copyable } from '../../design/copy.js';
import { Facts } from '../../design/facts.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { Page, Panel } from '../../design/page.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { Link } from '../../router/link.js';
import { AcceptLink } from '../../session/accept-link.js';
import { changePassword, useHas } from '../../session/session.js';
import type { PlatformPageProps } from '../page-props.js';
import { NotificationsPanel } from './notifications.js';
import { SessionsPanel } from './sessions.js';
import { useTexts } from './texts.js';

/** The user, their restaurants and sessions, and a form that changes the password. */
export default function Account({ session, restaurants }: PlatformPageProps) {
  const texts = useTexts();
  const { roles } = useSharedTexts();
  const { user } = session;
  const has = useHas();
  return (
    <Page title={texts.title}>
      {restaurants.map((restaurant) => (
        <AcceptLink key={restaurant.id} restaurant={restaurant} />
      ))}
      <div className="columns">
        <Panel title={texts.you}>
          <Facts
            facts={[
              [texts.email, user.email],
              [texts.id, <Copyable key="id" text={user.id} />],
            ]}
          />
          <p className="fine">{texts.idHelp}</p>
          {user.role === 'ADMIN' && <p>{texts.platformAdmin}</p>}
          {restaurants.length > 0 && (
            <>
              <h3>{texts.restaurants}</h3>
              <ul className="plain-list">
                {restaurants.map(({ id, name, role }) => (
                  <li key={id}>
                    <Link to={`/r/${id}/tonight`}>{name}</Link> <span className="quiet">{roles[role]}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Panel>
        {has('channels') && <NotificationsPanel />}
        <Panel title={texts.password}>
          <PasswordForm email={user.email} />
        </Panel>
        <SessionsPanel />
      </div>
    </Page>
  );
}

function PasswordForm({ email }: { readonly email: string }) {
  const texts = useTexts();
  const { field, props, sending, rest, clear } = useForm({
    initial: { current: '', next: '', again: '' },
    check: ({ next, again }) => (next === again ? {} : { again: texts.differ }),
    send: ({ current, next }) => changePassword(current, next),
    onSent: () => {
      clear();
    },
    codes: {
      WRONG_PASSWORD: { current: texts.wrong },
      SAME_PASSWORD: { next: texts.same },
      GUESSABLE_PASSWORD: { next: texts.guessable },
    },
  });
  const password = { type: 'password', autoComplete: 'new-password', required: true };
  return (
    <form {...props}>
      {/* for a password manager */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <Field label={texts.current} {...password} autoComplete="current-password" {...field('current')} />
      <Field label={texts.next} {...password} hint={texts.nextHint} {...field('next')} />
      <Field label={texts.again} {...password} {...field('again')} />
      <Outcome done={sending.isSuccess && texts.saved} error={rest} />
      <Button type="submit" kind="primary" busy={sending.isPending}>
        {texts.save}
      </Button>
    </form>
  );
}
