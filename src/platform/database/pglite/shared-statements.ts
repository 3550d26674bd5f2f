// Message types of the Postgres protocol, version 3.
const PARSE = 0x50;
const BIND = 0x42;
const PARSE_COMPLETE = Buffer.from([0x31, 0, 0, 0, 4]);

/** Runs a message. @returns the answer */
type Run = (message: Uint8Array) => Promise<Buffer>;

/**
 * The prepared statements of the relay's own connections, which share one session. Each connection prepares a statement before its first use, and
 * expects to find it later. A name has a hash of its text (`preparedStatement`), so the same name is the same statement: the session prepares it
 * once, for all connections, and again after its statements were discarded.
 */
export class SharedStatements {
  /** name -> the message that prepares it */
  private readonly known = new Map<string, Uint8Array>();
  private readonly inSession = new Set<string>();

  /** The session has none of them any more. */
  discarded(): void {
    this.inSession.clear();
  }

  /** Runs a message of one of the relay's connections; one that prepares what the session has already is only answered. */
  async run(message: Uint8Array, run: Run): Promise<Buffer> {
    if (message[0] === PARSE) {
      const name = textAt(message, 5);
      if (name === '') return run(message);
      // a copy: the message is a part of all that its connection has read
      if (!this.known.has(name)) this.known.set(name, Buffer.from(message));
      return this.inSession.has(name) ? PARSE_COMPLETE : this.prepare(name, message, run);
    }
    if (message[0] === BIND) {
      // after the name of the portal
      const name = textAt(message, message.indexOf(0, 5) + 1);
      const missing = this.inSession.has(name) ? undefined : this.known.get(name);
      if (missing) {
        const answer = await this.prepare(name, missing, run);
        // an error: Postgres ignores the rest of the unit
        if (!this.inSession.has(name)) return answer;
      }
    }
    return run(message);
  }

  private async prepare(name: string, message: Uint8Array, run: Run): Promise<Buffer> {
    const answer = await run(message);
    // after an error in the same unit nothing is prepared
    if (answer[0] === PARSE_COMPLETE[0]) this.inSession.add(name);
    return answer;
  }
}

/** The text that begins here and ends with a zero. */
function textAt(message: Uint8Array, start: number): string {
  return Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString(
    'utf8',
    start,
    message.indexOf(0, start),
  );
}
