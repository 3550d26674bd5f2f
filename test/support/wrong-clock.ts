const RealDate = Date;

/**
 * Runs `work` while this process reads a clock that is wrong by `ms`. A server has its own clock; the embedded database reads that of this
 * process.
 */
export async function withClock<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  globalThis.Date = class extends RealDate {
    constructor(...values: unknown[]) {
      if (values.length === 0) super(RealDate.now() + ms);
      else super(...(values as [number]));
    }
    static override now = () => RealDate.now() + ms;
  } as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
  }
}
