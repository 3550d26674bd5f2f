import { firstCharacters, percentDecoded } from '../../domain/text.js';
import { errorLine } from '../../platform/redaction/error-line.js';
import type { Poll } from './print.service.js';

/** The most characters of a status that are kept. */
const MAX_STATUS = 60;
/** The most characters that are read: anybody may send a longer text, and its decoding takes longer than everything else of a poll. */
const MAX_READ = 1_000;

/**
 * Reads the body of a poll (CloudPRNT). Every field may be missing, null or of any type: printers of different firmware differ. A printer
 * without a readable status may print.
 */
export function readPoll(body: unknown): Poll {
  const { statusCode, printingInProgress } = (body ?? {}) as { statusCode?: unknown; printingInProgress?: unknown };
  const status = statusOf(statusCode);
  const isReady = status === null || !/^\d/.test(status) || status.startsWith('2');
  return { status, mayPrint: isReady && printingInProgress !== true };
}

/** `200%20OK` -> `200 OK`; null when it is no text, or an empty one. */
function statusOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return firstCharacters(errorLine(percentDecoded(String(value).slice(0, MAX_READ))), MAX_STATUS).trim() || null;
}
