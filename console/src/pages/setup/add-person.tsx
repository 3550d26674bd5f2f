import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Choices } from '../../design/choices.js';
import { Field, SelectField } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { useSharedTexts } from '../../i18n/shared.js';
import type { OwnRestaurant, Role } from '../../session/restaurants.js';
import { InvitationLink, invite } from './invite-person.js';
import { personName, rolesUpTo, useRefresh } from './people-api.js';
import { useTexts } from './texts.js';

const WAYS = ['invite', 'byEmail', 'byId'] as const;
type Way = (typeof WAYS)[number];

/** Letters and digits that cannot be mistaken for each other. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const PASSWORD_LENGTH = 14;

/** Adds a person: by an invitation, with a new account, or with an existing one. */
export function AddPerson({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { people: texts } = useTexts();
  const { roles } = useSharedTexts();
  const refresh = useRefresh(restaurant);
  const [way, setWay] = useState<Way>('invite');
  const [role, setRole] = useState<Role>('EMPLOYEE');
  const { email = '', userId = '' } = texts.errors;
  const form = useForm({
    initial: { email: '', name: '', password: '', userId: '' },
    send: async ({ email, name, password, userId }) => {
      const params = { path: { restaurantId: restaurant.id } };
      if (way === 'invite') return { email, link: await invite(restaurant.id, email, role) };
      const added =
        way === 'byId'
          ? api.POST('/restaurants/{restaurantId}/users', { params, body: { userId: userId.trim(), role } })
          : api.POST('/restaurants/{restaurantId}/users/create-and-link', {
              params,
              body: { email, password, role, ...(name.trim() && { name: name.trim() }) },
            });
      return { name: personName((await answerOf(added)).data) };
    },
    onSent: () => {
      form.clear();
      return refresh();
    },
    words: { invite: { email }, byId: { userId }, byEmail: texts.errors }[way],
    codes: {
      ACCOUNT_EXISTS: { email: texts.accountExists },
      GUESSABLE_PASSWORD: { password: texts.guessable },
      ALREADY_LINKED: { [way === 'byId' ? 'userId' : 'email']: texts.alreadyLinked },
      TOO_MANY_INVITATIONS: { email: texts.tooMany },
      ...(way === 'byId' && { NOT_FOUND: { userId: texts.unknownUser } }),
    },
  });
  const { data, isPending, reset } = form.sending;
  const field = (name: keyof typeof form.values) => ({ autoComplete: 'off', spellCheck: false, ...form.field(name) });
  return (
    <details className="add-person">
      <summary>{texts.add}</summary>
      <form {...form.props} noValidate>
        <Choices
          label={texts.how}
          choices={WAYS.map((value) => ({ value, label: texts[value] }))}
          value={way}
          onChange={(chosen) => {
            reset();
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
                {/* readable, because the owner passes it on to the person */}
                <Field label={texts.password} hint={texts.passwordHint} required {...field('password')} />
                <div className="row">
                  <Button onClick={() => form.change({ password: randomPassword() })}>{texts.makeUp}</Button>
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
        <Outcome done={data?.name && texts.added(data.name)} error={form.rest} />
        {data?.link && <InvitationLink link={data.link} email={data.email} />}
        <div className="row">
          <Button type="submit" icon="person" busy={isPending}>
            {way === 'invite' ? texts.inviteButton : texts.button}
          </Button>
        </div>
      </form>
    </details>
  );
}

function randomPassword(): string {
  const random = crypto.getRandomValues(new Uint8Array(PASSWORD_LENGTH));
  return Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join('');
}
