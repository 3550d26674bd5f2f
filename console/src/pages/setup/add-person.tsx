import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Choices } from '../../design/choices.js';
import { Field, SelectField } from '../../design/field.js';
import { useSharedTexts } from '../../i18n/shared.js';
import type { OwnRestaurant, Role } from '../../session/restaurants.js';
import { fieldErrors, useFocusOnError } from './field-errors.js';
import { InvitationLink, invite } from './invite-person.js';
import { Outcome } from './outcome.js';
import { codeOf, nameOf, rolesUpTo, useRefresh } from './people-api.js';
import { useTexts } from './texts.js';

const WAYS = ['invite', 'byEmail', 'byId'] as const;
type Way = (typeof WAYS)[number];

const EMPTY = { email: '', name: '', password: '', userId: '' };
/** Letters and digits that nobody mistakes for another. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const PASSWORD_LENGTH = 14;

/** Invites somebody, makes an account for them and links it, or links one that is there. */
export function AddPerson({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { people: texts } = useTexts();
  const { roles } = useSharedTexts();
  const refresh = useRefresh(restaurant);
  const [way, setWay] = useState<Way>('invite');
  const [values, setValues] = useState(EMPTY);
  const [role, setRole] = useState<Role>('EMPLOYEE');
  const adding = useMutation({
    mutationFn: async () => {
      const params = { path: { restaurantId: restaurant.id } };
      const { email, name, password, userId } = values;
      if (way === 'invite') return { email, link: await invite(restaurant.id, email, role) };
      const added =
        way === 'byId'
          ? api.POST('/restaurants/{restaurantId}/users', { params, body: { userId: userId.trim(), role } })
          : api.POST('/restaurants/{restaurantId}/users/create-and-link', {
              params,
              body: { email, password, role, ...(name.trim() && { name: name.trim() }) },
            });
      return { name: nameOf((await answerOf(added)).data) };
    },
    onSuccess: async () => {
      setValues(EMPTY);
      await refresh();
    },
  });
  const code = codeOf(adding.error);
  const known: Record<string, string> = {
    ...(code === 'ACCOUNT_EXISTS' && { email: texts.accountExists }),
    ...(code === 'ALREADY_LINKED' && { [way === 'byId' ? 'userId' : 'email']: texts.alreadyLinked }),
    ...(code === 'TOO_MANY_INVITATIONS' && { email: texts.tooMany }),
    ...(code === 'NOT_FOUND' && way === 'byId' && { userId: texts.unknownUser }),
  };
  const { email = '', userId = '' } = texts.errors;
  const told = fieldErrors(adding.error, { invite: { email }, byId: { userId }, byEmail: texts.errors }[way]);
  const of = { ...told.of, ...known };
  const form = useFocusOnError(adding.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!adding.isPending) adding.mutate();
  };
  const field = (name: keyof typeof EMPTY) => ({
    name,
    autoComplete: 'off',
    spellCheck: false,
    value: values[name],
    error: of[name],
    onChange: ({ target }: { target: HTMLInputElement }) => setValues({ ...values, [name]: target.value }),
  });
  return (
    <details className="add-person">
      <summary>{texts.add}</summary>
      <form ref={form} className="stack" onSubmit={submit} noValidate>
        <Choices
          label={texts.how}
          choices={WAYS.map((value) => ({ value, label: texts[value] }))}
          value={way}
          onChange={(chosen) => {
            adding.reset();
            setWay(chosen);
          }}
        />
        {way === 'byId' ? (
          <Field label={texts.userId} hint={texts.userIdHint} required {...field('userId')} />
        ) : (
          <>
            <Field label={texts.email} type="email" required maxLength={320} {...field('email')} />
            {way === 'byEmail' && (
              <>
                <Field label={texts.name} maxLength={200} {...field('name')} />
                {/* shown as text: the caller passes it on to the person */}
                <Field label={texts.password} hint={texts.passwordHint} required {...field('password')} />
                <div className="row">
                  <Button onClick={() => setValues({ ...values, password: madeUp() })}>{texts.makeUp}</Button>
                </div>
              </>
            )}
          </>
        )}
        <SelectField
          label={texts.role}
          hint={texts.roleHelp[role]}
          value={role}
          onChange={({ target }) => setRole(target.value as Role)}
        >
          {rolesUpTo(restaurant.role).map((one) => (
            <option key={one} value={one}>
              {roles[one]}
            </option>
          ))}
        </SelectField>
        <Outcome
          done={adding.data?.name && texts.added(adding.data.name)}
          error={Object.keys(known).length > 0 ? null : told.rest}
        />
        {adding.data?.link && <InvitationLink link={adding.data.link} email={adding.data.email} />}
        <div className="row">
          <Button type="submit" icon="person" busy={adding.isPending}>
            {way === 'invite' ? texts.inviteButton : texts.button}
          </Button>
        </div>
      </form>
    </details>
  );
}

function madeUp(): string {
  const random = crypto.getRandomValues(new Uint8Array(PASSWORD_LENGTH));
  return Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join('');
}
