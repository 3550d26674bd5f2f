import type { PGlite } from '@electric-sql/pglite';

/** What the main loop throws after an ERROR, which Postgres handles. */
const LONGJMP = 100;

interface MainLoop {
  _PostgresMainLoopOnce: () => void;
  stackRestore: (pointer: number) => void;
}

/**
 * Makes the statement fail when Postgres ends the session (FATAL). Without this, PGlite calls the main loop of the ended session
 * again and again, and blocks the process forever. After such a failure this PGlite cannot be used any more.
 */
export function failOnFatal({ Module }: PGlite): void {
  const loop = Module as unknown as MainLoop;
  const { _PostgresMainLoopOnce: once, stackRestore } = loop;
  let fatal: unknown;
  loop._PostgresMainLoopOnce = () => {
    try {
      once();
    } catch (error) {
      if ((error as { status?: unknown }).status !== LONGJMP) fatal = error;
      throw error;
    }
  };
  // PGlite calls this function when the main loop has thrown, and passes on what this function throws
  loop.stackRestore = (pointer) => {
    if (fatal) throw new Error('Postgres has ended the session', { cause: fatal });
    stackRestore(pointer);
  };
}
