/** A sequence of numbers that its seed determines: the same requests again, on every machine. */
export class Random {
  private state: number;

  /** @param stream of one seed there are many sequences, one for each number */
  constructor(seed: number, stream = 0) {
    this.state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0;
    // neighbouring streams begin alike
    for (let i = 0; i < 4; i++) this.next();
  }

  /** @returns 0 to below `limit`, a whole number */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** @param make called so many times */
  list<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }

  /** As many random bytes. */
  bytes(count: number): Buffer {
    return Buffer.from(this.list(count, () => this.below(256)));
  }

  /** mulberry32 */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }
}
