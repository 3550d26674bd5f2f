import { useEffect } from 'react';
import { sessionHasEnded } from '../api/queries.js';
import { Button } from '../design/button.js';
import { CardPage } from '../design/card-page.js';
import { Field } from '../design/field.js';
import { useForm } from '../design/form.js';
import { Outcome } from '../design/outcome.js';
import { useSharedTexts } from '../i18n/shared.js';
import { Link } from '../router/link.js';
import { forgetAnswers, signIn } from './session.js';

export function SignIn() {
  const { signIn: texts } = useSharedTexts();
  const { field, props, sending } = useForm({
    initial: { email: '', password: '' },
    send: ({ email, password }) => signIn(email, password),
  });
  useEffect(() => {
    // after a sign-out nothing stays; after an ended session the page that was open does
    if (!sessionHasEnded()) forgetAnswers();
  }, []);
  useEffect(() => {
    if (sending.error) props.ref.current?.querySelector<HTMLInputElement>('input[type=password]')?.focus();
  }, [sending.error, props.ref]);
  return (
    <CardPage title={texts.title} mark={<span className="brand-mark brand-mark-large" aria-hidden="true" />}>
      <p className="quiet">{sessionHasEnded() ? texts.ended : texts.intro}</p>
      <form {...props}>
        <Field label={texts.email} type="email" autoComplete="username" required maxLength={320} {...field('email')} />
        <Field
          label={texts.password}
          type="password"
          autoComplete="current-password"
          required
          maxLength={1024}
          {...field('password')}
        />
        <Outcome role="alert" error={sending.error} known={{ INVALID_CREDENTIALS: texts.wrong }} />
        <Button type="submit" kind="primary" busy={sending.isPending}>
          {sending.isPending ? texts.busy : texts.button}
        </Button>
      </form>
      <p>
        <Link to="/password">{texts.forgot}</Link>
      </p>
    </CardPage>
  );
}
