import { useEffect, useState } from 'react';
import { Problem } from '../../api/problem.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { useFormats } from '../../i18n/formats.js';
import { useClaimTexts } from './claim-texts.js';
import type { Claim } from './queries.js';

/** Whether an error is the relay's question, and no failure. */
export function isQuestion(error: Error | null): error is Problem {
  return error instanceof Problem && error.code === 'FEW_SALES_FOUND';
}

/** Confirms a file. When few of its payments are found, it asks first whether the others never reached us (J21). */
export function ConfirmFile({
  text,
  claim,
  isBusy,
  error,
  onConfirm,
}: {
  /** of the button */
  readonly text: string;
  /** null: not known; then the relay asks */
  readonly claim: Claim | null;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** @param isClaimed whether the person has said that they never reached us */
  readonly onConfirm: (isClaimed: boolean) => void;
}) {
  const texts = useClaimTexts();
  const { amount } = useFormats();
  const [isAsking, ask] = useState(false);
  // the relay may ask although the preview has not
  useEffect(() => ask(isQuestion(error)), [error]);
  const { missing, sales, missingCents } = isQuestion(error) ? error.figures : (claim ?? {});
  return (
    <>
      <Button kind="primary" icon="check" busy={isBusy} onClick={() => (claim?.asks ? ask(true) : onConfirm(false))}>
        {text}
      </Button>
      <Confirm
        open={isAsking}
        title={texts.title}
        action={texts.claim}
        busy={isBusy}
        onConfirm={() => onConfirm(true)}
        onClose={() => ask(false)}
      >
        {missing !== undefined && sales !== undefined && missingCents !== undefined && (
          <p>{texts.says(missing, sales, amount(missingCents))}</p>
        )}
        <p>{texts.help}</p>
        {error && !isQuestion(error) && <ErrorText error={error} />}
      </Confirm>
    </>
  );
}
