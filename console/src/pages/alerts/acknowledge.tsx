import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/problem.js';
import { Button, ButtonLink } from '../../design/button.js';
import { CardPage } from '../../design/card-page.js';
import { ErrorText } from '../../design/feedback.js';
import { acknowledgeByToken, readByToken } from './queries.js';
import { useTexts } from './texts.js';

/** The page of a mail's link; its token is behind the `#`. Only the button acknowledges: programs that scan mails open links. */
export default function Acknowledge() {
  const { ack, acknowledge } = useTexts();
  const [token] = useState(() => location.hash.slice(1));
  const acknowledging = useMutation({ mutationFn: () => acknowledgeByToken(token) });
  const isInvalid = acknowledging.error instanceof Problem && acknowledging.error.status === 404;
  return (
    <CardPage title={ack.title}>
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
    </CardPage>
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
