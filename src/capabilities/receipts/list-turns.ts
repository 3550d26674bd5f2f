import { HeavyWork } from '../../platform/http/limits/heavy-work.js';

/** The most restaurants of the lists in a statement; a list of more is read alone (L165). */
const MOST_RESTAURANTS = 20;
/** The most lists of one sender in a statement (L131). */
export const OF_SENDER = 10;

/** What is known of a list before it is read. */
export interface List {
  readonly reader: { readonly id: string; readonly restaurantIds: readonly string[] | null };
}

interface Waiting<Item, Page> {
  readonly list: Item;
  readonly sender: string;
  /** restaurants that the statement looks up */
  readonly size: number;
  readonly resolve: (page: Page) => void;
  readonly reject: (error: unknown) => void;
  /** ends its wait for a turn */
  readonly done: AbortController;
  /** shares no statement, since a statement that it shared has failed */
  isAlone: boolean;
}

/**
 * Turns of senders for lists of receipts on the embedded database, which runs a statement on the only thread of the process (V31): one
 * statement at a time, with few restaurants. It has the list whose turn it is, and what fits of those that wait, so that short lists of many
 * senders need few statements.
 */
export class ListTurns<Item extends List, Page> {
  private readonly work = new HeavyWork();
  private readonly waiting = new Set<Waiting<Item, Page>>();

  /** @param readAll reads lists by one statement, in their order */
  constructor(private readonly readAll: (lists: readonly Item[]) => Promise<readonly Page[]>) {}

  /**
   * Reads a list when it is the turn of its sender, or with the list of another one.
   * @param gone aborts when nobody waits for the list any more
   * @throws 503 TOO_MANY_AT_ONCE when too many lists of the sender wait, or this one has waited too long; ClientGoneError; the error of the statement
   */
  read(list: Item, gone: AbortSignal): Promise<Page> {
    return new Promise((resolve, reject) => {
      const { id: sender, restaurantIds } = list.reader;
      const size = Math.max(1, restaurantIds?.length ?? 1);
      const done = new AbortController();
      const waiting = { list, sender, size, resolve, reject, done, isAlone: false };
      const ends = AbortSignal.any([gone, done.signal]);
      this.waiting.add(waiting);
      this.work
        .share(
          sender,
          () => ends,
          () => this.readWith(waiting),
        )
        .catch(reject)
        .finally(() => this.waiting.delete(waiting));
    });
  }

  /** @returns the parts of the senders in the time of the statement; an error is that of the list alone */
  private async readWith(first: Waiting<Item, Page>): Promise<ReadonlyMap<string, number>> {
    const group = this.groupOf(first);
    try {
      const pages = await this.readAll(group.map(({ list }) => list));
      for (const [number, each] of group.entries()) this.end(each, pages[number] as Page);
    } catch (error) {
      if (group.length === 1) first.reject(error);
      else {
        // whose list it was is not known
        for (const each of group) each.isAlone = true;
        return this.readWith(first);
      }
    }
    const parts = new Map<string, number>();
    const size = sizeOf(group);
    for (const each of group) parts.set(each.sender, (parts.get(each.sender) ?? 0) + each.size / size);
    return parts;
  }

  private end(waiting: Waiting<Item, Page>, page: Page): void {
    waiting.resolve(page);
    this.waiting.delete(waiting);
    waiting.done.abort();
  }

  /** The lists of a statement: that whose turn it is, others of its sender, and those of the senders whose lists took the least time lately. */
  private groupOf(first: Waiting<Item, Page>): Waiting<Item, Page>[] {
    const group = [first];
    if (first.isAlone || first.size >= MOST_RESTAURANTS) return group;
    const others = [...this.waiting].filter((each) => each !== first && !each.isAlone);
    const ranked = others.map((each) => ({
      each,
      rank: each.sender === first.sender ? -1 : this.work.spentBy(each.sender),
    }));
    for (const { each } of ranked.sort((one, other) => one.rank - other.rank)) {
      const ofSender = group.filter(({ sender }) => sender === each.sender).length;
      if (ofSender < OF_SENDER && sizeOf([...group, each]) <= MOST_RESTAURANTS) group.push(each);
    }
    return group;
  }
}

const sizeOf = (group: readonly { readonly size: number }[]) => group.reduce((sum, { size }) => sum + size, 0);
