import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Field } from '../../design/field.js';
import { useFormats } from '../../i18n/formats.js';
import { isTwice } from './answers.js';
import type { Difference, useDecide } from './queries.js';
import { useTexts } from './texts.js';

type Mutate = ReturnType<typeof useDecide>['mutate'];

interface Deciding {
  readonly row: Difference;
  readonly decide: Mutate;
  readonly isDeciding: boolean;
  /** the time of the row, in words */
  readonly when: string;
}

/** What a person may decide about a row; nothing for most answers. */
export function Decide(deciding: Deciding) {
  const { answer, line, sale, decision } = deciding.row;
  if (line === null) return null;
  const isChecked = answer === 'AMOUNT_DIFFERS' || answer === 'DUPLICATE' || isTwice(deciding.row);
  if (isChecked && decision !== 'CHECKED') return <Check {...deciding} line={line} />;
  if (answer === 'MISSING_HERE') return <Enter {...deciding} line={line} />;
  if (answer === 'SUGGESTED' && sale)
    return <Suggested {...deciding} line={line} transactionKey={sale.transactionKey} />;
  return null;
}

/** The sale is in the POS by hand: with a note, since it is audited. */
function Enter({ row: { cents }, decide, isDeciding, when, line }: Deciding & { readonly line: number }) {
  const { enter: texts } = useTexts();
  const { amount } = useFormats();
  const [isAsking, ask] = useState(false);
  const [note, write] = useState('');
  const given = note.trim();
  const paid = amount(cents ?? 0);
  return (
    <div className="not-printed">
      <Button icon="check" onClick={() => ask(true)}>
        {texts.button}
        <span className="unseen">: {texts.what(paid, when)}</span>
      </Button>
      {isAsking && (
        <Confirm
          open
          title={texts.title(paid)}
          action={texts.action}
          busy={isDeciding || given === ''}
          onConfirm={() => {
            ask(false);
            decide({ act: 'enter', line, note: given });
          }}
          onClose={() => ask(false)}
        >
          <p>{texts.help}</p>
          <Field
            label={texts.note}
            hint={texts.noteHelp}
            value={note}
            maxLength={500}
            required
            autoComplete="off"
            onChange={({ target }) => write(target.value)}
          />
        </Confirm>
      )}
    </div>
  );
}

/** Somebody has looked, and corrected what was to correct. */
function Check({ row: { cents }, decide, isDeciding, when, line }: Deciding & { readonly line: number }) {
  const texts = useTexts();
  const { amount } = useFormats();
  return (
    <div className="not-printed">
      <Button icon="check" busy={isDeciding} onClick={() => decide({ act: 'check', line })}>
        {texts.check.done}
        <span className="unseen">: {texts.enter.what(amount(cents ?? 0), when)}</span>
      </Button>
    </div>
  );
}

function Suggested({
  row: { cents },
  decide,
  isDeciding,
  when,
  line,
  transactionKey,
}: Deciding & { readonly line: number; readonly transactionKey: string }) {
  const texts = useTexts();
  const { amount } = useFormats();
  const what = <span className="unseen">: {texts.enter.what(amount(cents ?? 0), when)}</span>;
  return (
    <div className="row">
      <Button icon="check" busy={isDeciding} onClick={() => decide({ act: 'accept', line, transactionKey })}>
        {texts.accept}
        {what}
      </Button>
      <Button icon="cross" busy={isDeciding} onClick={() => decide({ act: 'refuse', line, transactionKey })}>
        {texts.refuse}
        {what}
      </Button>
    </div>
  );
}
