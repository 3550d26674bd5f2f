import { useState } from 'react';
import type { View } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Copyable } from '../../design/copy.js';
import { ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { useCheck } from './queries.js';
import { useTexts } from './texts.js';

const HASH = /^[0-9a-f]{64}$/;

/** The head of the chain, and the button that recomputes all closings; with a head that somebody noted, the end too. */
export function CheckChain({
  restaurantId,
  head,
}: {
  readonly restaurantId: string;
  readonly head: View<'DayHeadView'>;
}) {
  const texts = useTexts();
  const { day: dayText, shortDay } = useFormats();
  const checking = useCheck(restaurantId);
  const [day, setDay] = useState('');
  const [typed, setTyped] = useState('');
  const hash = typed.trim().toLowerCase();
  const isNoted = day !== '' && hash !== '';
  const isWrong = hash !== '' && !HASH.test(hash);
  const found = checking.data;
  return (
    <Panel title={texts.head}>
      <div className="stack">
        <p>{texts.headText(head.number, dayText(head.day))}</p>
        <Copyable text={head.hash} />
        <p className="fine">{texts.headHelp}</p>
        <div className="row">
          <Field label={texts.checkDay} type="date" value={day} onChange={({ target }) => setDay(target.value)} />
          <Field
            label={texts.checkHash}
            value={typed}
            spellCheck={false}
            autoComplete="off"
            error={isWrong ? texts.checkHashWrong : undefined}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <div className="row">
          <Button
            icon="search"
            busy={checking.isPending}
            onClick={() => !isWrong && checking.mutate(isNoted ? { day, hash } : undefined)}
          >
            {texts.check}
          </Button>
        </div>
        <div role="status">
          {found &&
            (found.firstBroken === null || found.reason === null ? (
              <p className="days-holds">
                <Icon name="check" /> {texts.holds(found.days)}
              </p>
            ) : (
              <p className="days-breaks">
                <Icon name="warning" /> <strong>{texts.breaks(shortDay(found.firstBroken))}</strong>{' '}
                {texts.reasons[found.reason]} {texts.breaksHelp}
              </p>
            ))}
          {found && found.wrongLines > 0 && <p className="fine">{texts.wrongLines(found.wrongLines)}</p>}
        </div>
        {checking.error && <ErrorText error={checking.error} />}
      </div>
    </Panel>
  );
}
