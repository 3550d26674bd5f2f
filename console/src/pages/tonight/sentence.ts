import { capitalised, mayBeThere, uncapitalised, wordsFor } from '../../design/cause.js';
import { useCauseWords, useSenderWords } from '../../design/cause-words.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { useTexts } from './texts.js';
import type { Calm, Kinds, Verdict } from './verdict.js';

const HALF_A_DAY_MS = 43_200_000;

/** The words of a verdict, with times in the restaurant's zone. The countdown is separate, since it changes every second. */
export function useSentence(
  timezone: string,
): (verdict: Verdict, now: number) => { sentence: string; countdown: string | null } {
  const texts = useTexts();
  const formats = useFormats();
  const remedies = useCauseWords();
  const { pause } = useSharedTexts();
  const sender = useSenderWords();
  const why = (count: number, kinds: Kinds) => {
    const [kind = { cause: null, subject: null }] = kinds;
    const [one, other] = wordsFor(remedies, kind.cause, kind.subject).reason;
    return kinds.length > 1 ? texts.forReasons(kinds.length) : `: ${count === 1 ? one : other}`;
  };
  const parked = (count: number, kinds: Kinds) => {
    if (!kinds.some(({ cause }) => mayBeThere(cause))) return texts.parked(count) + why(count, kinds);
    return kinds.length > 1 ? texts.perhapsParked(count) + texts.forReasons(kinds.length) : texts.unknown(count);
  };
  const countdown = (nextTryAt: string | null, now: number): string | null => {
    if (nextTryAt === null) return texts.tryingNow;
    const ms = Date.parse(nextTryAt) - now;
    if (ms < 1_000) return texts.tryingNow;
    // whole seconds: tenths would flicker
    return texts.nextTry(formats.duration(ms < 60_000 ? Math.ceil(ms / 1_000) * 1_000 : ms));
  };
  const delivered = (
    { orders, cancelled }: Extract<Calm, { readonly kind: 'delivered' }>,
    all: (orders: number) => string,
  ): string => (cancelled > 0 ? `${all(orders)}, ${texts.cancelledToo(cancelled)}` : all(orders));
  const words = (verdict: Verdict, now: number): string => {
    switch (verdict.kind) {
      case 'idle':
        return texts.idle;
      case 'delivered':
        return delivered(verdict, texts.delivered);
      case 'missing':
      case 'silent':
        return `${capitalised(verdict.kind === 'silent' ? sender.stopped : sender.missing)}; ${uncapitalised(
          verdict.arrived.kind === 'delivered'
            ? delivered(verdict.arrived, texts.arrived)
            : words(verdict.arrived, now),
        )}`;
      case 'underWay': {
        const { delivered, orders, waiting } = verdict;
        if (orders < delivered + waiting || orders === waiting) return texts.onlyUnderWay(waiting);
        return texts.underWay(formats.number(delivered), formats.number(orders), waiting);
      }
      case 'failing': {
        const isLong = now - Date.parse(verdict.since) > HALF_A_DAY_MS;
        const since = formats[isLong ? 'dateTime' : 'time'](verdict.since, timezone);
        const { cause, httpStatus } = verdict.failure;
        const failure =
          cause === 'failing' && httpStatus !== null ? texts.answersWith(httpStatus) : wordsFor(remedies, cause).cause;
        return texts.failing(verdict.waiting, failure, since);
      }
      case 'recovering':
        return texts.recovering(verdict.waiting);
      case 'paused':
        return pause.until(formats.time(verdict.until, timezone));
      case 'late':
        return texts.late(verdict.late);
      case 'parked':
        return parked(verdict.parked, verdict.causes);
      case 'cancelParked':
        return texts.cancelParked(verdict.parked) + why(verdict.parked, verdict.causes);
      case 'refused':
        return texts.refused(verdict.sales);
      case 'earlier':
        return texts.earlierParked(verdict.parked);
    }
  };
  return (verdict, now) => ({
    sentence: words(verdict, now),
    countdown: verdict.kind === 'failing' ? countdown(verdict.nextTryAt, now) : null,
  });
}
