import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Problem } from '../api/problem.js';
import { sessionHasEnded } from '../api/queries.js';
import { Button } from '../design/button.js';
import { ErrorText } from '../design/feedback.js';
import { Field } from '../design/field.js';
import { Icon } from '../design/icons.js';
import { useSharedTexts } from '../i18n/shared.js';
import { LanguageSwitch } from './account-menu.js';
import { forgetAnswers, signIn } from './session.js';

export function SignIn() {
  const { product, signIn: texts } = useSharedTexts();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const entering = useMutation({
    mutationFn: () => signIn(email, password),
    onError: () => form.current?.querySelector<HTMLInputElement>('input[type=password]')?.focus(),
  });
  useEffect(() => {
    document.title = `${texts.title} – ${product}`;
  });
  useEffect(() => {
    // who has signed out leaves nothing behind; who has not comes back to where they were
    if (!sessionHasEnded()) forgetAnswers();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!entering.isPending) entering.mutate();
  };
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <span className="brand-mark brand-mark-large" aria-hidden="true" />
        <p className="brand-name">{product}</p>
        <h1>{texts.title}</h1>
        <p className="quiet">{sessionHasEnded() ? texts.ended : texts.intro}</p>
        <form ref={form} onSubmit={submit} className="stack">
          <Field
            label={texts.email}
            type="email"
            name="email"
            autoComplete="username"
            required
            maxLength={320}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Field
            label={texts.password}
            type="password"
            name="password"
            autoComplete="current-password"
            required
            maxLength={1024}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          <div role="alert">{entering.error && <Refusal error={entering.error} />}</div>
          <Button type="submit" kind="primary" busy={entering.isPending}>
            {entering.isPending ? texts.busy : texts.button}
          </Button>
        </form>
        <LanguageSwitch />
      </div>
    </main>
  );
}

function Refusal({ error }: { readonly error: Error }) {
  const { signIn: texts } = useSharedTexts();
  if (error instanceof Problem && error.status === 401)
    return (
      <p className="field-error">
        <Icon name="warning" /> {texts.wrong}
      </p>
    );
  return <ErrorText error={error} />;
}
