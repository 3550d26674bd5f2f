import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { shareOpenFiles } from '../../platform/config/open-files.js';
import { reasonOf } from '../../platform/database/errors.js';
import { ClientGoneError } from '../../platform/http/client-gone.js';
import { problem } from '../../platform/http/problem.js';
import { Pace } from '../../platform/schedule/pace.js';
import { PacedRound } from '../../platform/schedule/paced-round.js';
import { Log } from '../../platform/telemetry/log.js';
import { RECEIPT_CODES } from './error-codes.js';
import { type Cursor, readCursor } from './receipt-cursor.js';
import { type Reader, type ReceiptPage, ReceiptsReader } from './receipts-reader.js';

/** How often the lists of the waiting polls are read, in ms. */
const READ_MS = 1_000;
/** The most waiting polls of an instance, if half of its connections allow them; of one sender; and of one restaurant (L65). */
const MOST = 1_000;
const MOST_OF_SENDER = 100;
const MOST_OF_RESTAURANT = 200;
const RETRY_AFTER_SECONDS = 30;

/** A poll whose list had nothing new. */
interface Poll {
  readonly reader: Reader;
  page: ReceiptPage;
  /** aborts when the poll has ended: its list is not read any more */
  readonly ended: AbortController;
  readonly end: () => void;
}

/**
 * The polls that wait for receipts (V24). They hold no connection to the database: their lists are read together, at an interval. While the process is busy, it
 * reads as rarely as pages may poll then (N9): sales come first.
 */
@Injectable()
export class WaitingPolls {
  private readonly polls = new Set<Poll>();
  private readonly most: number;
  private timer: NodeJS.Timeout | undefined;
  private readonly round: PacedRound;

  constructor(
    private readonly reader: ReceiptsReader,
    pace: Pace,
    private readonly log: Log,
    private readonly stopping: AbortSignal,
    config: Config,
  ) {
    this.round = new PacedRound(pace, () => this.readAll());
    // a stop waits for the requests in flight
    stopping.addEventListener('abort', () => this.endAll());
    this.most = Math.min(MOST, Math.floor(shareOpenFiles(config).connections / 2));
  }

  private endAll(): void {
    for (const { end } of [...this.polls]) end();
  }

  /** The number of waiting polls. */
  get size(): number {
    return this.polls.size;
  }

  /**
   * Makes room for one more poll. When the instance is full, the party with most polls gives its oldest to one with fewer: it is answered
   * with the empty list that the end of its time would bring (V24). So no tenant takes all, by however many keys and restaurants.
   * @throws 429 TOO_MANY_POLLS when one more poll may not wait
   */
  private admit(reader: Reader): void {
    const parties = new Map<string, Poll[]>();
    let ofSender = 0;
    for (const poll of this.polls) {
      if (poll.reader.id === reader.id) ofSender++;
      const party = partyOf(poll.reader);
      const polls = parties.get(party) ?? [];
      if (polls.push(poll) === 1) parties.set(party, polls);
    }
    const own = parties.get(partyOf(reader))?.length ?? 0;
    const ofRestaurant = reader.restaurantIds === null ? 0 : own;
    if (ofSender < MOST_OF_SENDER && ofRestaurant < MOST_OF_RESTAURANT) {
      if (this.size < this.most) return;
      const [most = []] = [...parties.values()].sort((one, other) => other.length - one.length);
      if (most.length > own) {
        most[0]?.end();
        return;
      }
    }
    const text = 'too many requests wait for receipts: ask without `wait`, or later';
    throw problem(RECEIPT_CODES.TOO_MANY_POLLS, text, RETRY_AFTER_SECONDS);
  }

  /**
   * Waits for something new.
   * @param page an empty page
   * @param gone aborts when the client has closed the connection
   * @returns the next page with receipts; after `waitMs`, and when the process stops, the empty page
   * @throws 429 TOO_MANY_POLLS
   */
  async wait(reader: Reader, page: ReceiptPage, waitMs: number, gone: AbortSignal): Promise<ReceiptPage> {
    this.admit(reader);
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', end);
        if (!this.polls.delete(poll)) return;
        poll.ended.abort();
        if (this.polls.size === 0) this.stop();
        resolve(poll.page);
      };
      const poll: Poll = { reader, page, ended: new AbortController(), end };
      const timer = setTimeout(end, waitMs);
      gone.addEventListener('abort', end);
      this.polls.add(poll);
      if (gone.aborted || this.stopping.aborted) return end();
      this.timer ??= setInterval(() => void this.round.next(), READ_MS);
    });
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async readAll(): Promise<void> {
    // the lists share statements, so that most of them fail together or not at all
    const failed = (await Promise.all([...this.polls].map((poll) => this.read(poll)))).filter(Boolean);
    if (failed.length > 0)
      this.log.warn({ event: 'receipts.unread', polls: failed.length, error: reasonOf(failed[0]) });
  }

  /** A poll whose list cannot be read goes on waiting. @returns why it cannot be read */
  private async read(poll: Poll): Promise<unknown> {
    try {
      poll.page = await this.reader.page(poll.reader, readCursor(poll.page.cursor) as Cursor, poll.ended.signal);
      if (poll.page.data.length > 0) poll.end();
      return undefined;
    } catch (error) {
      return error instanceof ClientGoneError ? undefined : error;
    }
  }
}

/** With whom the polls of a reader are counted together: those of all keys of its restaurant; else, by the reader. */
function partyOf({ id, restaurantIds }: Reader): string {
  return (restaurantIds?.length === 1 ? restaurantIds[0] : undefined) ?? id;
}
