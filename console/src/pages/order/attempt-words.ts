import { causeOf } from '../../api/cause.js';
import type { Attempt, Job } from './reading.js';
import { useTexts } from './texts.js';

/** What became of an attempt, in words. */
export function useAttemptWords(): (job: Job, attempt: Attempt) => string {
  const { answers } = useTexts();
  return ({ action }, { outcome, reach, error, errorCode }) => {
    if (outcome === 'LOST') return answers.lost;
    if (outcome === 'SENT') {
      if (errorCode?.startsWith('ASKED_')) return answers.found;
      return action === 'CANCEL' ? answers.cancelDelivered : answers.delivered;
    }
    const { kind } = causeOf(error);
    if (kind === 'unanswered') return reach === 'UNKNOWN' ? answers.noAnswer : answers.notReached;
    return answers[kind];
  };
}
