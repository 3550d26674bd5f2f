import { availableParallelism } from 'node:os';

/**
 * How many pieces of long computing work, such as password checks or files, an instance does at once: two at most, and one core is left to the
 * sales (L98, L155). @param cores at least 1
 */
export function besideSales(cores: number): number {
  return Math.min(2, Math.max(1, cores - 1));
}

/** {@link besideSales} on this machine. */
export const AT_ONCE = besideSales(availableParallelism());
