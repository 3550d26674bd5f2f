import type { View } from '../../api/client.js';
import type { IconName } from '../../design/icons.js';

export type Answer = View<'FileAnswerCountView'>['answer'];

/** The answers that ask something of a person, with the look of their parts, in the order of the page. */
export const NEEDING = {
  ENTERED: { icon: 'warning', tone: 'bad' },
  MISSING_HERE: { icon: 'stop', tone: 'bad' },
  AMOUNT_DIFFERS: { icon: 'warning', tone: 'wait' },
  SUGGESTED: { icon: 'search', tone: 'wait' },
  MISSING_THERE: { icon: 'coins', tone: 'wait' },
  DUPLICATE: { icon: 'repeat', tone: 'wait' },
  UNREADABLE: { icon: 'warning', tone: 'quiet' },
} as const satisfies Partial<Record<Answer, { icon: IconName; tone: string }>>;
export type NeedingAnswer = keyof typeof NEEDING;
export const NEEDING_ANSWERS = Object.keys(NEEDING) as NeedingAnswer[];

/** The answers that are only shown, behind a line. */
export const SHOWN_ANSWERS = ['CHARGEBACK', 'REFUND', 'OUTSIDE_DAY', 'REPEATED', 'IGNORED'] as const;

/** Rows by answer. */
export function countsOf(summary: View<'TerminalFileView'>['summary']): (answer: Answer) => number {
  const counts = new Map(summary.map(({ answer, count }) => [answer, count]));
  return (answer) => counts.get(answer) ?? 0;
}

/** Whether a row that was entered by hand needs somebody: its sale arrived later. */
export function isTwice({ answer, sale, decision }: View<'DifferenceView'>): boolean {
  return answer === 'ENTERED' && sale !== null && decision !== 'CHECKED';
}

/** Rows that still need somebody. */
export function openOf(summary: View<'TerminalFileView'>['summary']): number {
  return summary.reduce((sum, { open }) => sum + open, 0);
}

/** The amount of a row as people write it: money back is below zero. @param cents not below zero */
export function signed(cents: number, kind: View<'DifferenceView'>['kind']): number {
  return kind === 'REFUND' || kind === 'CHARGEBACK' ? -cents : cents;
}

/** The rows of a confirmed file that are sales, as they were read. */
export function salesOf(summary: View<'TerminalFileView'>['summary']): {
  readonly count: number;
  readonly cents: number;
} {
  const others: readonly Answer[] = ['MISSING_THERE', 'UNREADABLE', 'REFUND', 'CHARGEBACK', 'IGNORED'];
  const sales = summary.filter(({ answer }) => !others.includes(answer));
  return {
    count: sales.reduce((sum, { count }) => sum + count, 0),
    cents: sales.reduce((sum, { cents }) => sum + cents, 0),
  };
}
