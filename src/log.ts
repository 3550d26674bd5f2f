import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.js';

/**
 * The structured log. An event is one line with a fixed name in `event`; secrets and bodies never stand in it.
 * A class beside the interface only so that Nest can inject it by type.
 */
export interface Log extends Logger {}
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token of the interface
export abstract class Log {}

/** JSON lines; for people at a terminal in development, coloured ones. */
export function createLog(config: Pick<Config, 'logLevel' | 'environment' | 'instance'>): Log {
  const options = {
    level: config.logLevel,
    base: { instance: config.instance },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (config.environment === 'production' || !process.stdout.isTTY) return pino(options);
  return pino(options, pretty({ ignore: 'instance,event', messageFormat: '{event} {msg}', sync: true }));
}

/** Nest's own words in our log: its start-up chatter at debug level, its warnings and errors at theirs. */
export function nestLogger(log: Log): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      // a start that failed is told once, by main
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
