import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText, Loading } from '../../design/feedback.js';
import { useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

/** Jobs that one call resets; small enough to show progress. */
const STEP = 200;

type Stage = 'counting' | 'asking' | 'running' | 'done';

/** Counts, asks, and then resets in steps. Closing the dialog stops after the current step. */
export default function Reset({ cause, onClose }: { readonly cause: string; readonly onClose: () => void }) {
  const texts = useTexts().reset;
  const { number } = useFormats();
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>('counting');
  const [matched, setMatched] = useState(0);
  const [reset, setReset] = useState(0);
  const [error, setError] = useState<Error>();
  const isOpen = useRef(true);

  useEffect(() => {
    isOpen.current = true;
    call({ cause, dryRun: true })
      .then((counted) => {
        setMatched(counted.matched);
        setStage(counted.matched === 0 ? 'done' : 'asking');
      })
      .catch(setError);
    return () => {
      isOpen.current = false;
    };
  }, [cause]);

  const run = async () => {
    setStage('running');
    try {
      // a job that is parked again is not reset twice: no more jobs than were counted
      for (let done = 0; isOpen.current && done < matched; ) {
        const step = await call({ cause, limit: Math.min(STEP, matched - done) });
        done += step.reset;
        setReset(done);
        if (step.reset === 0) break;
      }
    } catch (failure) {
      setError(failure as Error);
    }
    setStage('done');
    await queries.invalidateQueries({ queryKey: ['operators'] });
  };
  const close = () => {
    void queries.invalidateQueries({ queryKey: ['operators'] });
    onClose();
  };
  const all = number(matched);
  return (
    <Confirm
      open
      title={stage === 'counting' ? texts.wait : texts.title(matched)}
      action={texts.action(all)}
      busy={stage !== 'asking'}
      isOver={stage === 'done' || error !== undefined}
      onConfirm={run}
      onClose={close}
    >
      <p>
        <bdi className="mono" lang="en">
          {cause}
        </bdi>
      </p>
      {stage === 'counting' && !error && <Loading lines={1} />}
      {stage === 'asking' && <p>{texts.text}</p>}
      {stage === 'running' && (
        <progress className="reset-progress" max={matched} value={reset} aria-label={texts.title(matched)} />
      )}
      <p role="status">
        {stage === 'running' && texts.progress(number(reset), all)}
        {stage === 'done' && !error && (matched === 0 ? texts.nothing : texts.done(reset))}
        {stage === 'done' && error && texts.stopped(number(reset), all)}
      </p>
      {error && <ErrorText error={error} />}
    </Confirm>
  );
}

async function call(body: { cause: string; dryRun?: boolean; limit?: number }): Promise<View<'JobsResetCountView'>> {
  return (await answerOf(api.POST('/admin/jobs/reset', { body }))).data;
}
