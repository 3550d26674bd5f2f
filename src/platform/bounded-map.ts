/** A map with at most `limit` entries; the entry set least recently is removed first. */
export class BoundedMap<Value> {
  private readonly values = new Map<string, Value>();

  constructor(private readonly limit: number) {}

  get(key: string): Value | undefined {
    return this.values.get(key);
  }

  set(key: string, value: Value): void {
    this.values.delete(key);
    const [oldest] = this.values.keys();
    if (this.values.size >= this.limit && oldest !== undefined) this.values.delete(oldest);
    this.values.set(key, value);
  }

  delete(key: string): void {
    this.values.delete(key);
  }
}
