/** Injects the turns of senders for reading large sales (W50): a HeavyWork. */
export const LARGE_WORK = Symbol('LARGE_WORK');
