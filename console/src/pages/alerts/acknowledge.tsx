import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Problem } from '../../api/problem.js';
import { Button, ButtonLink } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { LanguageSwitch } from '../../session/account-menu.js';
import { acknowledgeByToken, readByToken } from './queries.js';
import { useTexts } from './texts.js';

/** The page of a mail's link; its token is behind the `#`. Only the button acknowledges: programs that scan mails open links. */
export default function Acknowledge() {
  const { product } = useSharedTexts();
  const { ack, acknowledge } = useTexts();
  const [token] = useState(() => location.hash.slice(1));
  const acknowledging = useMutation({ mutationFn: () => acknowledgeByToken(token) });
  const isInvalid = acknowledging.error instanceof Problem && acknowledging.error.status === 404;
  useEffect(() => {
    document.title = `${ack.title} – ${product}`;
  });
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <p className="brand-name">{product}</p>
        <h1>{ack.title}</h1>
        {acknowledging.isSuccess ? (
          <>
            <p role="status">{ack.done}</p>
            <ButtonLink to={acknowledging.data.replace(/^\/console/, '')} kind="primary" icon="arrow">
              {ack.open}
            </ButtonLink>
          </>
        ) : (
          <>
            <About token={token} />
            <p>{ack.text}</p>
            {isInvalid ? (
              <p role="alert">{ack.invalid}</p>
            ) : (
              acknowledging.error && <ErrorText error={acknowledging.error} />
            )}
            <Button kind="primary" icon="check" busy={acknowledging.isPending} onClick={() => acknowledging.mutate()}>
              {acknowledge}
            </Button>
          </>
        )}
        <LanguageSwitch />
      </div>
    </main>
  );
}

/** What the mail was about, as it holds now. */
function About({ token }: { readonly token: string }) {
  const { ack } = useTexts();
  const about = useQuery({ queryKey: ['alert', token], queryFn: () => readByToken(token), retry: false });
  if (!about.data) return null;
  const { title, text, page } = about.data;
  return (
    <>
      <p>
        <b>{title}</b>
      </p>
      {text.split('\n').map((line) => (
        <p key={line}>{line}</p>
      ))}
      <ButtonLink to={page.replace(/^\/console/, '')} icon="arrow">
        {ack.open}
      </ButtonLink>
    </>
  );
}
