import type { Act } from '../../../../src/platform/conditions/remedy.js';
import { waitingLines } from '../../../../src/platform/conditions/waiting.js';
import type { View } from '../../api/client.js';
import type { Badge } from '../../design/badge.js';
import { actsFor, capitalised, wordsFor } from '../../design/cause.js';
import { useCauseWords, useSenderWords, useWaitingWords } from '../../design/cause-words.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { mayAdminister, type OwnRestaurant } from '../../session/restaurants.js';
import { useSentence } from './sentence.js';
import { useTexts } from './texts.js';
import type { Need } from './verdict.js';

export interface NeedWords {
  readonly tone: 'bad' | 'wait';
  readonly title: string;
  /** what to do; null: the title says it */
  readonly help: string | null;
  /** what must not be done */
  readonly warning: string | null;
  readonly countdown: string | null;
}

const CALM: ReadonlySet<Need['kind']> = new Set([
  'PAUSED',
  'POS_REFUSES',
  'ORDER_LATE',
  'SENDER_SILENT',
  'REFUND_TO_ENTER',
  'EARLIER_PARKED',
]);

/** The badge of the orders of a need. */
export const BADGE: Readonly<Partial<Record<Need['kind'], Badge>>> = {
  ORDER_PARKED: 'parked',
  REFUND_TO_ENTER: 'refund',
};

/** What can be done about each order of a need. */
export function actsOf({ kind, cause, subject }: Need): readonly Act[] {
  const badge = BADGE[kind];
  return badge === undefined ? [] : actsFor(badge, cause, subject);
}

/** A product with its name and code at the terminal. */
const nameOf = ({ name, code }: Need['products'][number]): string =>
  name === null || name === code ? isolated(code) : `${isolated(name)} (${isolated(code)})`;

/** The words of a need, from the one list of causes (R40), with times in the restaurant's zone. */
export function useNeedWords({ timezone, role }: OwnRestaurant) {
  const texts = useTexts();
  const remedies = useCauseWords();
  const waiting = useWaitingWords();
  const sender = useSenderWords();
  const { pause: shared } = useSharedTexts();
  const { amount, dateTime, time } = useFormats();
  const sentenceOf = useSentence(timezone);
  const titleOf = ({ kind, name, cause, subject, count, cents, oldestAt }: Need): string => {
    const sum = cents === null ? '' : `, ${amount(cents)}`;
    const [one, other] = wordsFor(remedies, cause, subject).reason;
    switch (kind) {
      case 'ORDER_PARKED':
        // the order below says how many and how much
        return count === 1 ? capitalised(one) : `${texts.needs.orders(count)}${sum}: ${other}`;
      case 'CANCEL_PARKED':
        return `${texts.cancelParked(count)}: ${count === 1 ? one : other}`;
      case 'ORDER_LATE':
        return texts.late(count);
      case 'KEY_REUSED':
        return texts.refused(count);
      case 'SENDER_REFUSED':
        return texts.needs.senderRefused(count, isolated(name ?? ''), time(oldestAt ?? '', timezone));
      case 'SENDER_SILENT':
        return texts.needs.senderSilent(dateTime(oldestAt ?? '', timezone));
      case 'REFUND_TO_ENTER':
        return `${texts.needs.refunds(count)}${sum}`;
      default:
        return texts.earlierParked(count);
    }
  };
  const helpOf = ({ kind, cause, subject, products }: Need): string | null => {
    switch (kind) {
      case 'ORDER_PARKED':
        return products.length > 0
          ? texts.needs.sayWhat(products.map(nameOf))
          : wordsFor(remedies, cause, subject).inShort;
      case 'CANCEL_PARKED':
        return texts.cancelHelp;
      case 'SENDER_REFUSED':
        return sender.terminal;
      case 'SENDER_SILENT':
        return sender.silent;
      default:
        return null;
    }
  };
  const words = (need: Need, state: View<'StateView'>, now: number): NeedWords => {
    const tone = CALM.has(need.kind) ? 'wait' : 'bad';
    const areWaiting = need.kind === 'POS_REFUSES' || need.kind === 'ORDER_LATE';
    const { help, warning } = areWaiting
      ? waitingLines(waiting, need.cause, need.count, mayAdminister(role))
      : { help: helpOf(need), warning: null };
    const plain = { tone, title: titleOf(need), help, warning, countdown: null } as const;
    if (need.kind === 'PAUSED' && state.pause) {
      const { until, reason, by } = state.pause;
      const { sentence } = sentenceOf({ kind: 'paused', until }, now);
      const title = need.count > 0 ? `${sentence}. ${texts.onlyWaiting(need.count)}` : sentence;
      return { ...plain, title, help: shared.why(reason, by) };
    }
    const { failing, nextTryAt } = state.waiting;
    if (need.kind !== 'POS_REFUSES' || !failing) return plain;
    const { since, cause, error: text, httpStatus } = failing;
    const failure = { cause, text, httpStatus };
    const { sentence, countdown } = sentenceOf(
      { kind: 'failing', waiting: need.count, since, failure, nextTryAt },
      now,
    );
    return { ...plain, title: need.cents === null ? sentence : `${sentence} (${amount(need.cents)})`, countdown };
  };
  return words;
}
