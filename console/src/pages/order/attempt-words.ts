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
    const { outcome, reach, cause } = attempt;
    if (outcome === 'LOST') return answers.lost;
    if (outcome === 'SENT') return answers[endingOf(action, attempt)];
    if (cause === 'unanswered' && reach === 'UNKNOWN') return answers.noAnswer;
    return capitalised(wordsFor(words, cause).cause);
  };
}
