import { money, sumCents } from '../simulator/amounts.js';
import type { PosSimulator } from '../simulator/simulator.js';
import { RESTAURANT, type Sale, shortId } from './evening.js';
import type { Journeys } from './journey.js';
import { printable, type Span, type Tone } from './paint.js';
import type { RestaurantPos } from './restaurant-pos.js';
import { type JobRecord, type Step, stepsOf } from './steps.js';
import type { Row, View } from './table.js';
import type { Answer } from './terminal.js';

/** A sale of the evening that was sent. */
export interface Entry {
  readonly sale: Sale;
  readonly at: number;
  /** this very key was sent before */
  readonly isRepeat: boolean;
  answer?: Answer;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly at: number;
}

/** What the screen shows: the sales the demo sent, joined with what the relay's database says of them. */
export class Board {
  readonly entries: Entry[] = [];
  private readonly refusals: Refusal[] = [];
  private title = `${RESTAURANT.name}: one evening`;
  /** by job, how long its journey was when the evening ended */
  private known: ReadonlyMap<string, number> | undefined;

  constructor(
    private readonly journeys: Journeys,
    private readonly pos: RestaurantPos,
    private readonly startedAt: number,
  ) {}

  /** A sale is about to be sent. */
  begin(sale: Sale, at: number): Entry {
    const isRepeat = this.entries.some((entry) => entry.sale.transactionKey === sale.transactionKey);
    const entry: Entry = { sale, at, isRepeat };
    this.entries.push(entry);
    return entry;
  }

  /** The job of a sale; a repetition has none. */
  jobOf({ sale, isRepeat }: Entry): JobRecord | undefined {
    return isRepeat ? undefined : this.journeys.jobOf(sale.transactionKey);
  }

  /** From now on only what is new is shown: sales sent by hand, and old ones that move again. */
  endEvening(): void {
    this.title = `${RESTAURANT.name}: what you do now`;
    this.known = new Map(this.journeys.jobs.map((job) => [job.id, stepsOf(job).length]));
  }

  /** The relay refused something at its door that the demo did not send. */
  refused(status: number, code: string, at: number): void {
    if (this.known) this.refusals.push({ status, code, at });
  }

  view(now: number): View {
    const rows = this.known ? this.newRows(this.known) : this.entries.map((entry) => this.entryRow(entry));
    return {
      title: this.title,
      pos: posState(this.pos.simulator),
      elapsedMs: now - this.startedAt,
      rows,
      footer: this.footer(),
      notes: this.pos.tickets,
      asOf: this.journeys.asOf,
    };
  }

  private entryRow(entry: Entry): Row {
    const { sale, at } = entry;
    const job = this.jobOf(entry);
    return {
      key: job?.id ?? `${sale.transactionKey} at ${at}`,
      at,
      id: sale.transactionKey.slice(-4),
      what: sale.what,
      amount: entry.isRepeat ? '' : money(paidCents(sale)),
      by: sale.by,
      steps: job ? stepsOf(job) : doorSteps(entry),
    };
  }

  private newRows(known: ReadonlyMap<string, number>): Row[] {
    const jobs = this.journeys.jobs.filter((job) => stepsOf(job).length > (known.get(job.id) ?? 0));
    const rows = [...jobs.map((job) => this.jobRow(job)), ...this.refusals.map(refusalRow)];
    return rows.sort((a, b) => a.at - b.at);
  }

  private jobRow(job: JobRecord): Row {
    const entry = this.entries.find((candidate) => this.jobOf(candidate)?.id === job.id);
    if (entry) return this.entryRow(entry);
    const { items = [], payments = [] } = job.payload as {
      items?: { itemName?: unknown }[];
      payments?: Paid['payments'];
    };
    const what = job.action === 'CANCEL' ? 'cancel' : String(items[0]?.itemName ?? 'no items');
    return {
      key: job.id,
      at: job.createdAt,
      id: printable(shortId(job.sourceKey)),
      what: printable(items.length > 1 && job.action !== 'CANCEL' ? `${items.length} items` : what),
      amount: money(paidCents({ payments })),
      by: 'hand',
      steps: stepsOf(job),
    };
  }

  private footer(): Span[] {
    const count = (...statuses: string[]) =>
      this.journeys.jobs.filter(({ status }) => statuses.includes(status)).length;
    const refused = this.refusals.length + this.entries.filter(({ answer }) => answer && answer.status !== 200).length;
    const counted = (amount: number, name: string, tone: Tone): Span => {
      return { text: `${amount} ${name}  `, tone: amount === 0 ? 'dim' : tone };
    };
    return [
      counted(count('PENDING', 'PROCESSING', 'FAILED'), 'waiting', 'wait'),
      counted(count('SENT'), 'sent', 'good'),
      counted(count('DLQ'), 'parked', 'bad'),
      counted(refused, 'refused', 'bad'),
      { text: ` kitchen: ${this.pos.simulator.orders.size} tickets   Ctrl-C ends`, tone: 'dim' },
    ];
  }
}

/** A transaction's payments, as the terminal sends them. */
interface Paid {
  readonly payments: readonly { readonly amount?: unknown }[];
}

/** What the sender was paid, in cents: the amounts that are numbers above zero. */
export function paidCents({ payments }: Paid): bigint {
  const amounts = payments.map(({ amount }) => amount);
  return sumCents(amounts.filter((amount): amount is number => Number.isFinite(amount) && (amount as number) > 0));
}

/** The POS as it is, not as it was told to be. */
function posState(pos: PosSimulator): Span {
  if (!pos.isUp) return { text: '○ POS is off', tone: 'bad' };
  const { behaviour } = pos;
  if (behaviour.mode === 'ok' || behaviour.mode === 'slow') return { text: '● POS is up', tone: 'good' };
  if (behaviour.mode === 'status') return { text: `● POS answers ${behaviour.status}`, tone: 'bad' };
  return {
    text: behaviour.mode === 'reset-after' ? '● POS loses its answer' : `● POS: ${behaviour.mode}`,
    tone: 'bad',
  };
}

function doorSteps({ at, answer }: Entry): Step[] {
  if (!answer || answer.status === 200) return [];
  const code = String(answer.body.code);
  return [refusalStep(answer.status, code === 'DUPLICATE_TRANSACTION' ? `${code} (kept once)` : code, at)];
}

function refusalRow({ status, code, at }: Refusal, index: number): Row {
  const steps = [refusalStep(status, code, at)];
  return { key: `refusal ${index}`, at, id: '', what: 'refused at the door', amount: '', by: 'hand', steps };
}

function refusalStep(status: number, text: string, at: number): Step {
  return { state: String(status), note: text, detail: text, tone: 'bad', at };
}
