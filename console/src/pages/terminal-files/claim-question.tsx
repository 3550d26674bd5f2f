import { useState } from 'react';
import { Problem } from '../../api/problem.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { useFormats } from '../../i18n/formats.js';
import type { Claim } from './queries.js';
import { useTexts } from './texts.js';

/** Whether an error is the relay's question, and no failure. */
export function isQuestion(error: Error | null): boolean {
  return error instanceof Problem && error.code === 'FEW_SALES_FOUND';
}

/** Confirms a file. When few of its payments are found, it asks first whether they never reached us (J19). */
export function ConfirmFile({
  claim,
  isBusy,
  error,
  onConfirm,
}: {
  /** null: not known yet; the relay says it when it asks */
  readonly claim: Claim | null;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** @param isClaimed whether the person has said so */
  readonly onConfirm: (isClaimed: boolean, onDone: () => void) => void;
}) {
  const { check: texts } = useTexts();
  const { amount } = useFormats();
  const [isAsking, ask] = useState(false);
  const isAsked = isQuestion(error);
  const send = (isClaimed: boolean) => onConfirm(isClaimed, () => ask(false));
  return (
    <>
      <Button
        kind="primary"
        icon="check"
        busy={isBusy}
        onClick={() => (claim?.asks || isAsked ? ask(true) : send(false))}
      >
        {texts.confirm}
      </Button>
      <Confirm
        open={isAsking}
        title={texts.claimTitle}
        action={texts.claim}
        busy={isBusy}
        onConfirm={() => send(true)}
        onClose={() => ask(false)}
      >
        {claim && <p>{texts.claimed(claim.missing, claim.sales, amount(claim.missingCents))}</p>}
        <p>{texts.claimHelp}</p>
        {error && !isAsked && <ErrorText error={error} />}
      </Confirm>
      {isAsked && !isAsking && (
        <div role="alert">
          <p className="file-doubt">{texts.claimAsked}</p>
        </div>
      )}
    </>
  );
}
