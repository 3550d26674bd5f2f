import type { LoggerService } from '@nestjs/common';
import { type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '../config/config.js';

/**
 * The structured log. A line has a fixed name in `event` and its `level` as a word; it never contains secrets or request bodies (H10).
 * The class of the same name exists only so that Nest can inject the log by type.
 */
export interface Log extends Logger {}
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token of the interface
export abstract class Log {}

const BUFFER_BYTES = 8_192;
const FLUSH_MS = 100;
/** pino's number of the level */
const ERROR = 50;

/** How a terminal shows it: one line for each event. */
export const PRETTY = { ignore: 'instance,event', messageFormat: '{event} {msg}', singleLine: true } as const;

/** Creates the log: JSON lines, or coloured text, one line for each event, when stdout is a terminal outside production. */
export async function createLog(config: Pick<Config, 'logLevel' | 'environment' | 'instance'>): Promise<Log> {
  const options = {
    level: config.logLevel,
    base: { instance: config.instance },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (config.environment === 'production' || !process.stdout.isTTY) return buffered(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ ignore: 'instance,event', messageFormat: '{event} {msg}', singleLine: true, sync: true }),
  );
}

/**
 * Lines are written together (H11): one write for each of them cost a tenth of a webhook. At the latest after FLUSH_MS, at once from
 * level error on, and at the end of the process.
 */
function buffered(options: LoggerOptions): Log {
  const stdout = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS });
  process.on('exit', () => stdout.flushSync());
  return pino(
    {
      ...options,
      hooks: {
        logMethod(line, method, level) {
          method.apply(this, line);
          if (level >= ERROR) stdout.flush();
        },
      },
    },
    stdout,
  );
}

/** Adapts the log for Nest: its informational messages are logged at level debug, its warnings and errors at their own. */
export function nestLogger(log: Log): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      // main logs a failed start, so Nest's report of it would be the second
      const shown = context === 'ExceptionHandler' ? 'debug' : level;
      log[shown]({ event: 'nest', context }, message instanceof Error ? message.message : String(message));
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
  };
}
