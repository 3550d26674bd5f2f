import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { SelectField } from '../../design/field.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { personName, usePeople, useRefresh } from './people-api.js';
import { useTexts } from './texts.js';

/** Hands the ownership over; only for owners. */
export function OwnershipPanel({
  restaurant,
  userId,
}: {
  readonly restaurant: OwnRestaurant;
  readonly userId: string;
}) {
  const { ownership: texts } = useTexts();
  const { data: people = [] } = usePeople(restaurant);
  const refresh = useRefresh(restaurant);
  const [chosen, choose] = useState('');
  const [isAsking, ask] = useState(false);
  const handing = useMutation({
    mutationFn: (newOwnerId: string) => {
      const params = { path: { restaurantId: restaurant.id } };
      return answerOf(api.POST('/restaurants/{restaurantId}/transfer-ownership', { params, body: { newOwnerId } }));
    },
    onSuccess: refresh,
    onSettled: () => ask(false),
  });
  const others = people.filter((person) => person.userId !== userId);
  const person = others.find((one) => one.userId === chosen);
  if (others.length === 0)
    return (
      <Panel title={texts.title}>
        <p className="quiet">{texts.nobody}</p>
      </Panel>
    );
  return (
    <Panel title={texts.title}>
      <div className="stack">
        <p className="quiet">{texts.intro}</p>
        <SelectField label={texts.who} value={chosen} onChange={({ target }) => choose(target.value)}>
          <option value="">{texts.choose}</option>
          {others.map((one) => (
            <option key={one.userId} value={one.userId}>
              {personName(one)}
            </option>
          ))}
        </SelectField>
        <Outcome error={handing.error} />
        {person && (
          <div className="row">
            <Button kind="danger" busy={handing.isPending} onClick={() => ask(true)}>
              {texts.button}
            </Button>
          </div>
        )}
      </div>
      {isAsking && person && (
        <Confirm
          open
          title={texts.confirmTitle(personName(person), restaurant.name)}
          action={texts.action(personName(person))}
          busy={handing.isPending}
          onConfirm={() => handing.mutate(person.userId)}
          onClose={() => ask(false)}
        >
          <p>{texts.confirmText}</p>
        </Confirm>
      )}
    </Panel>
  );
}
