import { type ReactNode, useState } from 'react';
import { Button } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { isolated } from '../../i18n/isolated.js';
import { type Coded, SetCode } from './set-code.js';
import { useTexts } from './texts.js';

/** What is sent to the POS, and its form for those who may change it. */
export function AtPos({
  coded,
  name,
  restaurantId,
  mayChange,
  unset,
  isRefused = false,
  isLacked = false,
}: {
  readonly coded: Coded;
  /** what it is called, for screen readers */
  readonly name: string;
  readonly restaurantId: string;
  readonly mayChange: boolean;
  /** what is sent without a code of its own */
  readonly unset: ReactNode;
  /** whether the POS has refused it as it is sent */
  readonly isRefused?: boolean;
  /** whether the catalogue of the POS lacks what is sent (I20) */
  readonly isLacked?: boolean;
}) {
  const { set: texts, states } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<string>();
  const { posCode, posName } = coded;
  if (isOpen)
    return (
      <SetCode
        coded={coded}
        restaurantId={restaurantId}
        onDone={(words) => {
          setDone(words);
          setOpen(false);
        }}
      />
    );
  return (
    <div className="at-pos">
      {isRefused && (
        <span className="badge tone-bad">
          <Icon name="stop" />
          {states.refused}
        </span>
      )}
      {isLacked && (
        <span className="badge tone-wait">
          <Icon name="warning" />
          {states.lacked}
        </span>
      )}
      <p>
        {posCode === null ? <span className="quiet">{unset}</span> : <bdi className="mono">{posCode}</bdi>}
        {posName !== null && (
          <>
            {' '}
            <bdi>{posName}</bdi>
          </>
        )}
      </p>
      {mayChange && (
        <Button aria-label={`${texts.change}: ${isolated(name)}`} onClick={() => setOpen(true)}>
          {texts.change}
        </Button>
      )}
      <Outcome done={done} />
    </div>
  );
}
