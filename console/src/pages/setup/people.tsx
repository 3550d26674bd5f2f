import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Answer } from '../../design/feedback.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { navigate } from '../../router/location.js';
import { mayAdminister, type OwnRestaurant, type Role } from '../../session/restaurants.js';
import { AddPerson } from './add-person.js';
import { Invitations } from './invite-person.js';
import { PasswordLink } from './password-link.js';
import { type LinkedUser, personName, rolesUpTo, usePeople, useRefresh } from './people-api.js';
import { RoleOf } from './role-of.js';
import { useTexts } from './texts.js';

/** The people of the restaurant and their roles. */
export function PeoplePanel({ restaurant, userId }: { readonly restaurant: OwnRestaurant; readonly userId: string }) {
  const { people: texts } = useTexts();
  const people = usePeople(restaurant);
  return (
    <Panel title={texts.title} className="people">
      <Answer query={people}>{(found) => <PeopleList people={found} restaurant={restaurant} userId={userId} />}</Answer>
      {mayAdminister(restaurant.role) && (
        <>
          <Invitations restaurant={restaurant} />
          <AddPerson restaurant={restaurant} />
        </>
      )}
    </Panel>
  );
}

function PeopleList({
  people,
  restaurant,
  userId,
}: {
  readonly people: readonly LinkedUser[];
  readonly restaurant: OwnRestaurant;
  readonly userId: string;
}) {
  const { people: texts } = useTexts();
  const { roles } = useSharedTexts();
  const { shortDay } = useFormats();
  const refresh = useRefresh(restaurant);
  const [leaving, setLeaving] = useState<LinkedUser>();
  const [done, setDone] = useState<string>();
  const { id: restaurantId, role: own } = restaurant;
  const removing = useMutation({
    mutationFn: ({ userId }: LinkedUser) =>
      answerOf(
        api.DELETE('/restaurants/{restaurantId}/users/{userId}', { params: { path: { restaurantId, userId } } }),
      ),
    onSuccess: async (_, person) => {
      setDone(texts.removed(personName(person)));
      await refresh();
      if (person.userId === userId) navigate('/', { replace: true });
    },
    onSettled: () => setLeaving(undefined),
  });
  const owners = people.filter(({ role }) => role === 'OWNER').length;
  const isLastOwner = ({ role }: LinkedUser) => role === 'OWNER' && owners === 1;
  const columns: Column<LinkedUser>[] = [
    {
      key: 'person',
      header: texts.person,
      heading: true,
      cell: (person) => (
        <>
          <span className="named">{personName(person)}</span> {person.userId === userId && `(${texts.you})`}
          {!person.accepted && <span className="person-email">{texts.notAccepted}</span>}
          {person.name && <span className="person-email">{person.email}</span>}
        </>
      ),
    },
    {
      key: 'role',
      header: texts.role,
      cell: (person) =>
        own === 'OWNER' ? (
          <RoleOf key={person.role} person={person} restaurant={restaurant} onDone={setDone} />
        ) : (
          roles[person.role]
        ),
    },
    {
      key: 'since',
      header: texts.since,
      cell: ({ linkedAt }) => shortDay(dateIn(restaurant.timezone, linkedAt)),
    },
    ...(mayAdminister(own)
      ? [
          {
            key: 'actions',
            header: texts.actions,
            cell: (person: LinkedUser) => (
              <div className="row">
                {own === 'OWNER' && person.role !== 'OWNER' && person.accepted && (
                  <PasswordLink {...{ person, restaurantId }} />
                )}
                {mayRemove(own, person.role) && !isLastOwner(person) && removeButton(person)}
              </div>
            ),
          },
        ]
      : []),
  ];
  const removeButton = (person: LinkedUser) => (
    <Button kind="danger" aria-label={`${texts.remove}: ${personName(person)}`} onClick={() => setLeaving(person)}>
      {texts.remove}
    </Button>
  );
  return (
    <>
      <Table caption={texts.caption} columns={columns} rows={people} rowKey={({ userId }) => userId} />
      <Outcome done={done} error={removing.error} known={{ LAST_OWNER: texts.lastOwner }} />
      {leaving && (
        <Confirm
          open
          title={texts.removeTitle(personName(leaving))}
          action={`${texts.remove}: ${personName(leaving)}`}
          busy={removing.isPending}
          onConfirm={() => removing.mutate(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>{leaving.userId === userId ? texts.removeYou : texts.removeText}</p>
        </Confirm>
      )}
    </>
  );
}

const mayRemove = (own: Role, role: Role) => rolesUpTo(own).includes(role);
