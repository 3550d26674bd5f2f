import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { View } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { Button } from '../../design/button.js';
import { CardPage } from '../../design/card-page.js';
import { Choices } from '../../design/choices.js';
import { Answer } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { textsOf } from '../../i18n/texts.js';
import { navigate } from '../../router/location.js';
import { type Session, signIn, signOut } from '../../session/session.js';
import { en } from './en.js';
import { ptBR } from './pt-BR.js';
import { accept, join, readInvitation } from './queries.js';

const useTexts = textsOf({ en, 'pt-BR': ptBR });

type Offer = View<'InvitationOfferView'>;

/** The page of an invitation; its token is behind the `#` of the link. */
export default function Invitation({ session }: { readonly session: Session | null }) {
  const texts = useTexts();
  const [token] = useState(() => location.hash.slice(1));
  const offer = useQuery({ queryKey: ['invitation', token], queryFn: () => readInvitation(token), retry: false });
  const hasEnded = offer.error instanceof Problem && offer.error.status === 404;
  return (
    <CardPage title={texts.title}>
      {hasEnded ? (
        <p role="alert">{texts.ended}</p>
      ) : (
        <Answer query={offer}>{(found) => <Offered offer={found} token={token} session={session} />}</Answer>
      )}
    </CardPage>
  );
}

function Offered({
  offer,
  token,
  session,
}: {
  readonly offer: Offer;
  readonly token: string;
  readonly session: Session | null;
}) {
  const { roles } = useSharedTexts();
  const texts = useTexts();
  const isOther = session !== null && session.user.email !== offer.email;
  return (
    <>
      <p>
        <bdi>{texts.offer(offer.restaurantName, roles[offer.role])}</bdi>
      </p>
      <p className="quiet">{isOther ? texts.other(offer.email, session.user.email) : texts.as(offer.email)}</p>
      {isOther ? <SignOut /> : <AcceptForm offer={offer} token={token} isSignedIn={session !== null} />}
    </>
  );
}

function SignOut() {
  const { nav } = useSharedTexts();
  const leaving = useMutation({ mutationFn: signOut });
  return (
    <Button busy={leaving.isPending} onClick={() => leaving.mutate()}>
      {nav.signOut}
    </Button>
  );
}

/** Signed in: accepts. Else the person says whether they have an account (A36): they sign in, or set a password. */
function AcceptForm({
  offer,
  token,
  isSignedIn,
}: {
  readonly offer: Offer;
  readonly token: string;
  readonly isSignedIn: boolean;
}) {
  const { signIn: shared } = useSharedTexts();
  const texts = useTexts();
  const queries = useQueryClient();
  const [way, setWay] = useState<'new' | 'known'>('new');
  const isNew = !isSignedIn && way === 'new';
  const { field, props, sending } = useForm({
    initial: { name: '', password: '' },
    send: async ({ name, password }) => {
      const joined = isNew ? await join(token, password, name) : undefined;
      if (!isSignedIn) await signIn(offer.email, password);
      const restaurantId = joined ?? (await accept(token));
      await queries.invalidateQueries({ queryKey: ['restaurants'] });
      navigate(`/r/${restaurantId}/tonight`, { replace: true });
    },
  });
  return (
    <form {...props} noValidate>
      {!isSignedIn && (
        <Choices
          label={texts.how}
          choices={[
            { value: 'new', label: texts.isNew },
            { value: 'known', label: texts.isKnown },
          ]}
          value={way}
          onChange={(chosen) => {
            sending.reset();
            setWay(chosen);
          }}
        />
      )}
      {isNew && <Field label={texts.name} autoComplete="name" maxLength={200} {...field('name')} />}
      {!isSignedIn && (
        <>
          <input type="email" autoComplete="username" value={offer.email} readOnly hidden />
          <Field
            label={isNew ? texts.newPassword : shared.password}
            hint={isNew ? texts.passwordHint : undefined}
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            required
            maxLength={1024}
            {...field('password')}
          />
        </>
      )}
      <Outcome
        role="alert"
        error={sending.error}
        known={{
          INVALID_CREDENTIALS: shared.wrong,
          VALIDATION_FAILED: texts.passwordHint,
          GUESSABLE_PASSWORD: texts.guessable,
          INVITATION_NOT_FOUND: texts.ended,
          ALREADY_LINKED: texts.already,
          ACCOUNT_EXISTS: texts.exists,
        }}
      />
      <Button type="submit" kind="primary" busy={sending.isPending}>
        {isNew ? texts.join : isSignedIn ? texts.accept : texts.signInAndAccept}
      </Button>
    </form>
  );
}
