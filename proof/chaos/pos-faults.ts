import type { Treatment } from '../../tools/simulator/behaviour.js';
import type { Random } from '../random.js';
import type { PosFault } from './plan.js';

/** How a call is treated that is read: after `waitMs`, carried out at once where `carriesOutFirst`, then as `inner` says. */
export interface CallTreatment {
  readonly waitMs: number;
  readonly carriesOutFirst: boolean;
  readonly inner: Treatment;
  /** for the history */
  readonly text: string;
}

/** The connection is reset before the call is read. */
export const RESET = 'reset';

/** The share of calls that meet a fault. */
const SHARE = 0.6;

/** Draws how a call is treated: without a fault well, after the time that a POS takes. */
export function treatmentOf(
  fault: PosFault | undefined,
  timeoutMs: number,
  random: Random,
): CallTreatment | typeof RESET {
  const isMet = random.chance(SHARE);
  const share = random.next();
  if (!fault || !isMet) return inner({ mode: 'slow', delayMs: Math.round(5 + 40 * share) }, 'well');
  switch (fault) {
    case 'slow':
      return before(Math.round(timeoutMs * 0.6 * share));
    case 'late':
      return inner({ mode: 'slow', delayMs: Math.round(timeoutMs * (1.1 + share)) }, 'answers after the deadline');
    case 'errors':
      return error(random);
    case 'busy':
      return inner({ mode: 'status', status: 429, retryAfter: 1 }, 'answers 429');
    case 'resets':
      return random.pick<CallTreatment | typeof RESET>([
        RESET,
        inner({ mode: 'reset-after' }, 'carries out, then resets'),
        inner({ mode: 'truncated', status: 502 }, 'answers half a 502'),
        inner({ mode: 'truncated', status: 502 }, 'carries out, then answers half a 502', true),
      ]);
    case 'silent':
      return random.pick([
        inner({ mode: 'hang' }, 'never answers'),
        inner({ mode: 'hang-after' }, 'carries out, never answers'),
      ]);
    default:
      return inner({ mode: 'ok' }, 'well');
  }
}

function error(random: Random): CallTreatment {
  const status = random.pick([500, 502, 503, 504]);
  if (random.chance(0.3)) return inner({ mode: 'html', status }, `answers ${status} as HTML`);
  return random.chance(0.4)
    ? inner({ mode: 'status', status }, `carries out, then answers ${status}`, true)
    : inner({ mode: 'status', status }, `answers ${status}`);
}

function before(waitMs: number): CallTreatment {
  return { ...inner({ mode: 'ok' }, `carries out after ${waitMs} ms`), waitMs };
}

function inner(treatment: Treatment, text: string, carriesOutFirst = false): CallTreatment {
  return { waitMs: 0, carriesOutFirst, inner: treatment, text };
}
