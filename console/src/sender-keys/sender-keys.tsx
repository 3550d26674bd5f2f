import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { every } from '../api/queries.js';
import { Answer } from '../design/feedback.js';
import { Panel } from '../design/page.js';
import { AddKey } from './add-key.js';
import { KeyList } from './key-list.js';
import { keysApi } from './keys-api.js';
import { NewKey, type ShownKey } from './new-key.js';
import { SellingPersons } from './selling-persons.js';
import { useTexts } from './texts.js';
import './sender-keys.css';

/** A key that was used is seen soon after its first sale. */
const KEYS_MS = 30_000;

/**
 * The keys of the terminals (N28): those that work, those that ended, and a form for a new one, whose token or secret is shown once.
 * @param restaurantId null: the platform's keys
 * @param timezone of the times
 */
export function SenderKeysPanel({
  restaurantId,
  timezone,
}: {
  readonly restaurantId: string | null;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const calls = keysApi(restaurantId);
  const queryKey = ['sender keys', restaurantId];
  const queries = useQueryClient();
  const [shown, setShown] = useState<ShownKey>();
  const keys = useQuery({ queryKey, queryFn: ({ signal }) => calls.list(signal), ...every(KEYS_MS) });
  const readAgain = () => queries.invalidateQueries({ queryKey });
  const show = (key: ShownKey) => {
    setShown(key);
    return readAgain();
  };
  const onRevoked = (id: string) => {
    if (shown?.made.id === id) setShown(undefined);
    return readAgain();
  };
  return (
    <Panel title={texts.title} className="sender-keys">
      <p className="fine">{restaurantId === null ? texts.platformIntro : texts.intro}</p>
      <Answer query={keys} lines={1}>
        {({ data, persons }) => (
          <>
            <KeyList keys={data} calls={calls} timezone={timezone} onRotated={show} onRevoked={onRevoked} />
            <SellingPersons persons={persons} timezone={timezone} />
          </>
        )}
      </Answer>
      {shown && <NewKey key={shown.made.id} shown={shown} timezone={timezone} isPlatform={restaurantId === null} />}
      <AddKey calls={calls} onMade={(made) => show({ made })} />
    </Panel>
  );
}
