import { OTHER_TENDERS } from '../../domain/tenders.js';
import {
  type DayTakings,
  type HourTakings,
  type PieceFigures,
  type Takings,
  TENDERS_KEPT,
  type TenderTakings,
} from './figures.sql.js';
import { sumOfMoney } from './money.js';

/** The number of tender types that a report shows: the largest. The others are summed as {@link OTHER_TENDERS} (L22). */
const TENDERS_SHOWN = 100;

type Counts = Pick<HourTakings, 'orders'> &
  Pick<DayTakings, 'receivedOnAnotherDay' | 'money'> &
  Pick<TenderTakings, 'tipCents' | 'serviceFeeCents'>;
type Row = Takings & Partial<Counts>;

/** The figures of a period, added up piece by piece. Each sale is in exactly one piece, so the pieces sum to the total. */
export class PeriodFigures {
  readonly orders: Record<string, number> = {};
  tests = 0;
  mismatches = 0;
  oldestUndelivered: Date | null = null;
  private readonly tenders = new Map<string, TenderTakings>();
  private readonly days = new Map<string, DayTakings>();
  private readonly hours = new Map<string, HourTakings>();
  private readonly deliveryMs: (readonly number[])[] = [];

  add(piece: PieceFigures): void {
    for (const tender of piece.byTender) addTo(this.tenders, tender.tenderType, tender);
    // limits the memory
    if (this.tenders.size > 2 * TENDERS_KEPT) this.keepLargest(TENDERS_KEPT);
    for (const day of piece.byDay) addTo(this.days, day.day, day);
    for (const hour of piece.byHour) addTo(this.hours, `${hour.startMs}/${hour.offset}`, hour);
    for (const [status, count] of Object.entries(piece.orders))
      this.orders[status] = (this.orders[status] ?? 0) + count;
    this.tests += piece.tests;
    this.mismatches += piece.mismatches;
    this.oldestUndelivered ??= piece.oldestUndelivered;
    this.deliveryMs.push(piece.deliveryMs);
  }

  /** Number of days with sales or refunds. */
  get dayCount(): number {
    return this.days.size;
  }

  /** The largest tender type first; the sum of the other tender types is last. */
  get byTender(): TenderTakings[] {
    this.keepLargest(TENDERS_SHOWN);
    const isRest = ({ tenderType }: TenderTakings) => Number(tenderType === OTHER_TENDERS);
    return [...this.tenders.values()].toSorted((a, b) => isRest(a) - isRest(b) || bySize(a, b));
  }

  /** The earliest day first; days without a sale or refund are left out. */
  get byDay(): DayTakings[] {
    return [...this.days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1));
  }

  /** The earliest hour first (R24). An hour that the clock shows twice is two hours with different offsets. */
  get byHour(): HourTakings[] {
    return [...this.hours.values()].toSorted((a, b) => a.startMs - b.startMs);
  }

  /** Median and 95th percentile of the delivery times, in whole ms; null without deliveries. */
  get delivery(): { readonly medianMs: number | null; readonly p95Ms: number | null } {
    const times = Float64Array.from(this.deliveryMs.flat()).sort();
    return { medianMs: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
  }

  private keepLargest(count: number): void {
    const named = [...this.tenders.values()].filter(({ tenderType }) => tenderType !== OTHER_TENDERS).toSorted(bySize);
    for (const tender of named.slice(count)) {
      this.tenders.delete(tender.tenderType);
      addTo(this.tenders, OTHER_TENDERS, { ...tender, tenderType: OTHER_TENDERS });
    }
  }
}

function bySize(a: TenderTakings, b: TenderTakings): number {
  return b.cents - a.cents || (a.tenderType < b.tenderType ? -1 : 1);
}

/** As Postgres' `percentile_cont`: interpolates between two of the sorted times. */
function percentile(times: Float64Array, share: number): number | null {
  if (times.length === 0) return null;
  const at = share * (times.length - 1);
  const [below, above] = [times[Math.floor(at)] as number, times[Math.ceil(at)] as number];
  return Math.round(below + (above - below) * (at - Math.floor(at)));
}

/** Adds a row to the row that has the same key. */
function addTo<R extends Row>(rows: Map<string, R>, key: string, row: R): void {
  const known = rows.get(key);
  rows.set(key, known ? { ...row, ...sum(known, row) } : row);
}

function sum(a: Row, b: Row): Row {
  return {
    cents: a.cents + b.cents,
    deliveredCents: a.deliveredCents + b.deliveredCents,
    waitingCents: a.waitingCents + b.waitingCents,
    parkedCents: a.parkedCents + b.parkedCents,
    resolvedCents: a.resolvedCents + b.resolvedCents,
    cancelledCents: a.cancelledCents + b.cancelledCents,
    ...(a.orders !== undefined && { orders: a.orders + (b.orders ?? 0) }),
    ...(a.receivedOnAnotherDay !== undefined && {
      receivedOnAnotherDay: a.receivedOnAnotherDay + (b.receivedOnAnotherDay ?? 0),
    }),
    ...(a.tipCents !== undefined && { tipCents: a.tipCents + (b.tipCents ?? 0) }),
    ...(a.serviceFeeCents !== undefined && { serviceFeeCents: a.serviceFeeCents + (b.serviceFeeCents ?? 0) }),
    ...(a.money && { money: sumOfMoney([a.money, ...(b.money ? [b.money] : [])]) }),
  };
}
