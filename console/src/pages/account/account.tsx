import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Problem } from '../../api/problem.js';
import { Button } from '../../design/button.js';
import { Copyable } from '../../design/copy.js';
import { Facts } from '../../design/facts.js';
import { ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { Icon } from '../../design/icons.js';
import { Page, Panel } from '../../design/page.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { Link } from '../../router/link.js';
import type { PlatformPageProps } from '../../router/pages.js';
import { AcceptLink } from '../../session/accept-link.js';
import { changePassword } from '../../session/session.js';
import { SessionsPanel } from './sessions.js';
import { useTexts } from './texts.js';

/** Who one is, where, and the change of the password. */
export default function Account({ session, restaurants }: PlatformPageProps) {
  const texts = useTexts();
  const { roles } = useSharedTexts();
  const { user } = session;
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
  const [[current, next, again], set] = useState(['', '', '']);
  const [differ, setDiffer] = useState(false);
  const changing = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: () => set(['', '', '']),
  });
  const code = changing.error instanceof Problem ? changing.error.code : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setDiffer(next !== again);
    if (next === again && !changing.isPending) changing.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {/* tells a password manager whose password it is */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <Field
        label={texts.current}
        type="password"
        autoComplete="current-password"
        required
        value={current}
        error={code === 'WRONG_PASSWORD' ? texts.wrong : undefined}
        onChange={(event) => set([event.target.value, next, again])}
      />
      <Field
        label={texts.next}
        type="password"
        autoComplete="new-password"
        required
        hint={texts.nextHint}
        value={next}
        error={code === 'SAME_PASSWORD' ? texts.same : undefined}
        onChange={(event) => set([current, event.target.value, again])}
      />
      <Field
        label={texts.again}
        type="password"
        autoComplete="new-password"
        required
        value={again}
        error={differ ? texts.differ : undefined}
        onChange={(event) => set([current, next, event.target.value])}
      />
      <div role="status">
        {changing.isSuccess && (
          <p className="field-good">
            <Icon name="check" /> {texts.saved}
          </p>
        )}
        {changing.error && code !== 'WRONG_PASSWORD' && code !== 'SAME_PASSWORD' && (
          <ErrorText error={changing.error} />
        )}
      </div>
      <Button type="submit" kind="primary" busy={changing.isPending}>
        {texts.save}
      </Button>
    </form>
  );
}
