import type { View } from '../api/client.js';
import { useFormats } from '../i18n/formats.js';
import { useSharedTexts } from '../i18n/shared.js';

/** The money of a day or span, of whichever answer (R61). */
type Money = Pick<View<'StatisticsView'>, 'takenCents' | 'cancelledCents' | 'refundedCents' | 'netCents'> & Tips;

/** Tip and service fee (R68); null: not known, which is not shown. */
export type Tips = View<'TipsView'>;
export const TIP_PARTS = ['tip', 'serviceFee'] as const;
export type TipPart = (typeof TIP_PARTS)[number];

/** Which of tip and service fee some of these have; a restaurant that never has one sees nothing of it. */
export const tipPartsOf = (of: readonly Tips[]): readonly TipPart[] =>
  TIP_PARTS.filter((part) => of.some((tips) => (tips[`${part}Cents`] ?? 0) !== 0));

/** `122 sales, 2 cancelled, 1 refund, 1 test`: how many there are of each, as every page writes it (R61); sales also when there are none. */
export function useCounts(): (counts: View<'SaleCountsView'>) => string {
  const { counts: words } = useSharedTexts();
  return ({ sales, cancelled, refunds, tests }) =>
    [
      words.sales(sales),
      ...(cancelled > 0 ? [words.cancelled(cancelled)] : []),
      ...(refunds > 0 ? [words.refunds(refunds)] : []),
      ...(tests !== null && tests > 0 ? [words.tests(tests)] : []),
    ].join(', ');
}

/**
 * `Taken 12,473.25 · cancelled 196.47 · refunded 54.97 · net 12,418.28`, as every page writes it (R61): without what is zero;
 * below it tip and service fee, as parts of what was taken.
 * @param isBelowTaken a line above it says what was taken: alone it is not said once more
 */
export function MoneyLine({ of, isBelowTaken = false }: { readonly of: Money; readonly isBelowTaken?: boolean }) {
  const { money: words } = useSharedTexts();
  const { amount } = useFormats();
  const parts = (['cancelled', 'refunded', 'net'] as const).filter((part) =>
    part === 'net' ? of.refundedCents !== 0 : of[`${part}Cents`] !== 0,
  );
  const tips = tipPartsOf([of]);
  return (
    <>
      {(parts.length > 0 || !isBelowTaken) && (
        <span className="money-line">
          {words.taken} <b className="number">{amount(of.takenCents)}</b>
          {parts.map((part) => (
            <span key={part}>
              {' · '}
              {words[part]} <b className="number">{amount(of[`${part}Cents`])}</b>
            </span>
          ))}
        </span>
      )}
      {tips.length > 0 && (
        <span className="money-tips fine">
          {words.included}{' '}
          {tips.map((part, i) => (
            <span key={part}>
              {i > 0 && ' · '}
              {words[part]} <b className="number">{amount(of[`${part}Cents`] ?? 0)}</b>
            </span>
          ))}
        </span>
      )}
    </>
  );
}

/** Says below money lines that cancelled orders are not in what was taken; nothing where none is cancelled. */
export function CancelledNote({ of }: { readonly of: readonly Pick<Money, 'cancelledCents'>[] }) {
  const { money: words } = useSharedTexts();
  return of.some(({ cancelledCents }) => cancelledCents !== 0) ? <p className="fine">{words.cancelledHelp}</p> : null;
}
