import { capitalised, wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { endingOf } from './ending.js';
import type { Attempt, Job } from './reading.js';
import { useTexts } from './texts.js';

/** The result of an attempt, in words. */
export function useAttemptWords(): (job: Job, attempt: Attempt) => string {
  const { answers } = useTexts();
  const words = useCauseWords();
  return ({ action }, attempt) => {
    const { outcome, reach, cause, error } = attempt;
    // the claim of a POS that fetches its orders begins with pos/ (Q4)
    if (outcome === 'LOST') return error?.startsWith('lease of pos/') ? answers.notAcknowledged : answers.lost;
    if (outcome === 'SENT') return answers[endingOf(action, attempt)];
    if (cause === 'unanswered' && reach === 'UNKNOWN') return answers.noAnswer;
    return capitalised(wordsFor(words, cause).cause);
  };
}
