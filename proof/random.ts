import { createHash } from 'node:crypto';

/** Seeded random numbers (mulberry32). Each part of a run has its own stream, so that the parts do not affect each other. */
export class Random {
  private state: number;

  constructor(private readonly seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  /** The stream of this name, always the same for the same seed. */
  of(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  /** From 0, below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return this.between(0, limit - 1);
  }

  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws when the list is empty */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[this.below(list.length)] as T;
  }

  /** Up to `count` entries, in random order. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    const taken: T[] = [];
    while (left.length > 0 && taken.length < count) taken.push(...left.splice(this.below(left.length), 1));
    return taken;
  }

  /** What `make` returns, `count` times. */
  list<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }

  bytes(count: number): Buffer {
    return Buffer.from(this.list(count, () => this.below(256)));
  }
}
