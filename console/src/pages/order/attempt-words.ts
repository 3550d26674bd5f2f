import { causeOf } from '../../api/cause.js';
import { endingOf } from './ending.js';
import type { Attempt, Job } from './reading.js';
import { useTexts } from './texts.js';

/** The result of an attempt, in words. */
export function useAttemptWords(): (job: Job, attempt: Attempt) => string {
  const { answers } = useTexts();
  return ({ action }, attempt) => {
    const { outcome, reach, error } = attempt;
    if (outcome === 'LOST') return answers.lost;
    if (outcome === 'SENT') return answers[endingOf(action, attempt)];
    const { kind } = causeOf(error);
    if (kind === 'unanswered') return reach === 'UNKNOWN' ? answers.noAnswer : answers.notReached;
    return answers[kind];
  };
}
