import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Outcome } from '../../design/outcome.js';
import { useSharedTexts } from '../../i18n/shared.js';
import type { OwnRestaurant, Role } from '../../session/restaurants.js';
import { type LinkedUser, personName, ROLES, useRefresh } from './people-api.js';
import { useTexts } from './texts.js';

/** A person's role, with a button that saves it: arrow keys already choose. */
export function RoleOf({
  person,
  restaurant,
  onDone,
}: {
  readonly person: LinkedUser;
  readonly restaurant: OwnRestaurant;
  readonly onDone: (text: string) => void;
}) {
  const { people: texts } = useTexts();
  const { roles } = useSharedTexts();
  const refresh = useRefresh(restaurant);
  const [role, choose] = useState<Role>(person.role);
  const changing = useMutation({
    mutationFn: () => {
      const path = { restaurantId: restaurant.id, userId: person.userId };
      return answerOf(
        api.PATCH('/restaurants/{restaurantId}/users/{userId}/role', { params: { path }, body: { role } }),
      );
    },
    onSuccess: async () => {
      onDone(texts.roleSaved(personName(person)));
      await refresh();
    },
    onError: () => choose(person.role),
  });
  return (
    <div className="role-of">
      <select
        className="input"
        aria-label={texts.changeRole(personName(person))}
        value={role}
        onChange={({ target }) => choose(target.value as Role)}
      >
        {ROLES.map((one) => (
          <option key={one} value={one}>
            {roles[one]}
          </option>
        ))}
      </select>
      {role !== person.role && (
        <Button kind="primary" busy={changing.isPending} onClick={() => changing.mutate()}>
          {texts.saveRole}
        </Button>
      )}
      <Outcome error={changing.error} known={{ LAST_OWNER: texts.lastOwner }} />
    </div>
  );
}
