import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Copyable } from '../../design/copy.js';
import { Answer } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import {
  credentialsKey,
  isPushed,
  type NewPosCredential,
  type PosCredential,
  posCredentialsApi,
  usePosCredentials,
} from './pulling-api.js';
import { usePullingTexts } from './texts.js';

interface Shown {
  readonly made: NewPosCredential;
  readonly said: string;
}

/** The credentials of a POS that fetches its orders (Q3): when each last asked; new ones are shown once. */
export function PosCredentials({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { id, timezone } = restaurant;
  const texts = usePullingTexts();
  const queries = useQueryClient();
  const credentials = usePosCredentials(id);
  const calls = posCredentialsApi(id);
  const [shown, setShown] = useState<Shown>();
  const [leaving, setLeaving] = useState<PosCredential>();
  const readAgain = () =>
    // the overview says whether the set-up lacks them
    Promise.all([credentialsKey(id), ['overview']].map((queryKey) => queries.invalidateQueries({ queryKey })));
  const show = (made: NewPosCredential, said: string) => {
    setShown({ made, said });
    return readAgain();
  };
  const rotating = useMutation({
    mutationFn: (old: PosCredential) => calls.rotate(old.id),
    onSuccess: (made) => show(made, texts.rotated(isolated(made.name))),
  });
  const revoking = useMutation({
    mutationFn: (old: PosCredential) => calls.revoke(old.id),
    onSuccess: (_, old) => {
      if (shown?.made.id === old.id) setShown(undefined);
      return readAgain();
    },
    onSettled: () => setLeaving(undefined),
  });
  return (
    <>
      <p>{texts.address}</p>
      <Copyable text={location.origin} />
      <Answer query={credentials} lines={1}>
        {(known) => {
          const live = known.filter((each) => each.live);
          if (live.length === 0) return <p className="quiet">{texts.none}</p>;
          return (
            <ul className="printers" aria-label={texts.caption}>
              {live.map((each) => (
                <Row key={each.id} of={each} timezone={timezone} asks={!isPushed(restaurant)}>
                  {!each.replacedBy && (
                    <Button
                      aria-label={`${texts.rotate}: ${isolated(each.name)}`}
                      busy={rotating.isPending}
                      onClick={() => rotating.mutate(each)}
                    >
                      {texts.rotate}
                    </Button>
                  )}
                  <Button
                    kind="danger"
                    aria-label={`${texts.revoke}: ${isolated(each.name)}`}
                    onClick={() => setLeaving(each)}
                  >
                    {texts.revoke}
                  </Button>
                </Row>
              ))}
            </ul>
          );
        }}
      </Answer>
      <Outcome
        done={revoking.isSuccess && texts.revoked(isolated(revoking.variables.name))}
        error={rotating.error ?? revoking.error}
        known={{ TOO_MANY_CREDENTIALS: texts.tooMany }}
      />
      {shown && <NewCredentials key={shown.made.id} shown={shown} />}
      <AddCredentials create={calls.create} onMade={(made) => show(made, texts.made(isolated(made.name)))} />
      {leaving && (
        <Confirm
          open
          title={texts.revokeTitle(isolated(leaving.name))}
          action={texts.revoke}
          busy={revoking.isPending}
          onConfirm={() => revoking.mutate(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>{texts.revokeText}</p>
        </Confirm>
      )}
    </>
  );
}

function Row({
  of: { name, polledAt, expiresAt, leftOut },
  timezone,
  asks,
  children,
}: {
  readonly of: PosCredential;
  readonly timezone: string;
  /** whether it has to ask for its orders */
  readonly asks: boolean;
  readonly children: React.ReactNode;
}) {
  const texts = usePullingTexts();
  const { dateTime } = useFormats();
  const asked = polledAt ? texts.polled(dateTime(polledAt, timezone)) : asks && texts.neverPolled;
  return (
    <li>
      <div>
        <p>
          <bdi className="named">{name}</bdi>
        </p>
        <p className="fine">
          {[asked, expiresAt && texts.worksUntil(dateTime(expiresAt, timezone))].filter(Boolean).join(' · ')}
        </p>
        {asks && leftOut.length > 0 && (
          <p className="fine">
            <Icon name="warning" /> {texts.leftOut(leftOut.join(', '))}
          </p>
        )}
      </div>
      <div className="row">{children}</div>
    </li>
  );
}

/** Shown until the page is left: the relay does not show the secret again. */
function NewCredentials({ shown: { made, said } }: { readonly shown: Shown }) {
  const texts = usePullingTexts();
  const part = useRef<HTMLElement>(null);
  // the button that made them is gone, or the form is closed
  useEffect(() => part.current?.focus(), []);
  return (
    <section ref={part} className="new-key stack" tabIndex={-1} aria-label={said}>
      <p className="field-good">
        <Icon name="check" /> {said}
      </p>
      <p>{texts.clientId}</p>
      <Copyable text={made.clientId} />
      <p>{texts.clientSecret}</p>
      <Copyable text={made.clientSecret} />
    </section>
  );
}

function AddCredentials({
  create,
  onMade,
}: {
  readonly create: (name: string) => Promise<NewPosCredential>;
  readonly onMade: (made: NewPosCredential) => Promise<unknown>;
}) {
  const texts = usePullingTexts();
  const [isOpen, setOpen] = useState(false);
  const { clear, field, props, sending, rest } = useForm({
    initial: { name: '' },
    send: ({ name }) => create(name.trim()),
    onSent: (made) => {
      clear();
      setOpen(false);
      return onMade(made);
    },
    words: { name: texts.nameError },
  });
  return (
    <details className="add-key" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.add}</summary>
      <form {...props}>
        <Field
          {...{ label: texts.name, hint: texts.nameHint, required: true, maxLength: 60, autoComplete: 'off' }}
          {...field('name')}
        />
        <Outcome error={rest} known={{ TOO_MANY_CREDENTIALS: texts.tooMany }} />
        <div className="row">
          <Button type="submit" busy={sending.isPending}>
            {texts.button}
          </Button>
        </div>
      </form>
    </details>
  );
}
