import type { LoggerService } from '@nestjs/common';
import { type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '../config/config.js';

/**
 * The structured log. A line has a fixed name in `event` and its `level` as a word, and no secrets or request bodies (H10).
 * The class of the same name is the token for injection by type.
 */
export interface Log extends Logger {}
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token of the interface
export abstract class Log {}

/** characters */
const BUFFERED = 32_768;
const FLUSH_MS = 100;
/** pino's number of the level `error` */
const ERROR = 50;

/** The format on a terminal: one line for each event. */
export const PRETTY = { ignore: 'instance,event', messageFormat: '{event} {msg}', singleLine: true } as const;

/** Creates the log. It writes coloured text on a terminal outside production, and JSON lines otherwise. */
export async function createLog(config: Pick<Config, 'logLevel' | 'environment' | 'instance'>): Promise<Log> {
  const options = {
    level: config.logLevel,
    base: { instance: config.instance },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (config.environment === 'production' || !process.stdout.isTTY) return buffered(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ ...PRETTY, sync: true }));
}

/**
 * Buffers lines (H11): a write for each line took a tenth of the time of a webhook. The buffer is flushed after FLUSH_MS, by a line of
 * level error or fatal, and when the process exits.
 */
function buffered(options: LoggerOptions): Log {
  const lines = new LineBuffer(pino.destination({ dest: 1, sync: false }));
  process.on('exit', () => lines.flushSync());
  return pino(
    {
      ...options,
      hooks: {
        logMethod(line, method, level) {
          method.apply(this, line);
          if (level >= ERROR) lines.flush();
        },
      },
    },
    lines,
  );
}

/** The buffer of the log. The buffer of pino's destination would measure all of its text again at each line. */
class LineBuffer {
  private text = '';

  constructor(private readonly destination: ReturnType<typeof pino.destination>) {
    setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  write(line: string): void {
    this.text += line;
    if (this.text.length >= BUFFERED) this.flush();
  }

  flush(): void {
    if (this.text === '') return;
    this.destination.write(this.text);
    this.text = '';
  }

  /** pino calls it after a fatal line. */
  flushSync(): void {
    this.flush();
    this.destination.flushSync();
  }
}

/** Adapts the log for Nest: informational messages of Nest are logged at level debug. */
export function nestLogger(log: Log): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      // relay.ts logs a failed start
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
