/** Sets by a key, such as the connections of each network. The largest set is found in constant time, however many there are. */
export class SetsBySize<Key, Item> {
  private readonly sets = new Map<Key, Set<Item>>();
  /** by the number of items; those that have had it the longest first */
  private readonly ofSize = new Map<number, Set<Set<Item>>>();
  private largestSize = 0;
  /** how many items the sets have together */
  items = 0;

  add(key: Key, item: Item): void {
    const set = this.sets.get(key) ?? new Set();
    if (set.has(item)) return;
    this.sets.set(key, set);
    this.leaveSize(set);
    set.add(item);
    this.items += 1;
    this.enterSize(set);
    this.largestSize = Math.max(this.largestSize, set.size);
  }

  delete(key: Key, item: Item): void {
    const set = this.sets.get(key);
    if (!set?.has(item)) return;
    this.leaveSize(set);
    set.delete(item);
    this.items -= 1;
    if (set.size > 0) this.enterSize(set);
    else this.sets.delete(key);
    // the largest set has lost an item, and no other is as large
    if (!this.ofSize.has(this.largestSize)) this.largestSize = set.size;
  }

  /** @returns a set with the most items, in the order in which they were added; undefined: there are none */
  largest(): ReadonlySet<Item> | undefined {
    const [set] = this.ofSize.get(this.largestSize) ?? [];
    return set;
  }

  private enterSize(set: Set<Item>): void {
    const same = this.ofSize.get(set.size);
    if (same) same.add(set);
    else this.ofSize.set(set.size, new Set([set]));
  }

  private leaveSize(set: Set<Item>): void {
    const same = this.ofSize.get(set.size);
    if (same?.delete(set) && same.size === 0) this.ofSize.delete(set.size);
  }
}
