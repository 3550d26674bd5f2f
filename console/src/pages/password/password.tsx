import { useState } from 'react';
import type { View } from '../../api/client.js';
import { askWithoutSession as ask } from '../../api/connection.js';
import { Problem } from '../../api/problem.js';
import { Button } from '../../design/button.js';
import { CardPage } from '../../design/card-page.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { useLanguage } from '../../i18n/language.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { textsOf } from '../../i18n/texts.js';
import { Link } from '../../router/link.js';
import { navigate } from '../../router/location.js';
import { signIn } from '../../session/session.js';
import { en } from './en.js';
import { ptBR } from './pt-BR.js';

const useTexts = textsOf({ en, 'pt-BR': ptBR });

/** A new password without the old one: asks for a link by mail, or sets the password by the link, whose token is behind its `#`. */
export default function Password() {
  const texts = useTexts();
  const [token, setToken] = useState(() => location.hash.slice(1));
  return (
    <CardPage title={texts.title}>
      {token ? <SetPassword token={token} onEnded={() => setToken('')} /> : <AskForLink />}
      <p>
        <Link to="/">{texts.back}</Link>
      </p>
    </CardPage>
  );
}

function AskForLink() {
  const { signIn: shared } = useSharedTexts();
  const texts = useTexts();
  const language = useLanguage();
  const { field, props, sending } = useForm({
    initial: { email: '' },
    send: async ({ email }) => {
      await ask('/auth/password-links', { email, language });
      return email;
    },
  });
  return (
    <form {...props}>
      <p className="quiet">{texts.ask}</p>
      <Field label={shared.email} type="email" autoComplete="username" required maxLength={320} {...field('email')} />
      <Outcome
        role="alert"
        done={sending.data && texts.sent(sending.data)}
        error={sending.error}
        known={{ CHANNEL_UNAVAILABLE: texts.noMail, NOT_FOUND: texts.noMail, TOO_MANY_REQUESTS: texts.tooMany }}
      />
      <Button type="submit" kind="primary" busy={sending.isPending}>
        {texts.send}
      </Button>
    </form>
  );
}

function SetPassword({ token, onEnded }: { readonly token: string; readonly onEnded: () => void }) {
  const texts = useTexts();
  const { field, props, sending } = useForm({
    initial: { password: '' },
    send: async ({ password }) => {
      const { data } = await ask<View<'PasswordReplacedView'>>('/auth/password-links/use', { token, password });
      await signIn(data.email, password);
      navigate('/', { replace: true });
    },
  });
  const hasEnded = sending.error instanceof Problem && sending.error.code === 'PASSWORD_LINK_NOT_FOUND';
  return (
    <form {...props}>
      <Field
        label={texts.newPassword}
        hint={texts.hint}
        type="password"
        autoComplete="new-password"
        required
        maxLength={1024}
        {...field('password')}
      />
      <Outcome
        role="alert"
        error={sending.error}
        known={{
          PASSWORD_LINK_NOT_FOUND: texts.ended,
          GUESSABLE_PASSWORD: texts.guessable,
          VALIDATION_FAILED: texts.hint,
        }}
      />
      {hasEnded ? (
        <Button onClick={onEnded}>{texts.again}</Button>
      ) : (
        <Button type="submit" kind="primary" busy={sending.isPending}>
          {texts.set}
        </Button>
      )}
    </form>
  );
}
