import { Readable } from 'node:stream';

/** The least length of a piece of a file, in characters. */
const PIECE = 16_384;

/** Waits until a file may read from the database. @returns ends that, to be called once */
export type TakeTurn = () => Promise<() => void>;

/**
 * A file that is written while it is sent. Its next piece is read when the client has taken the one before: a file waits for its client without
 * a turn (H20). It emits an error when a piece cannot be read, and closes when its last statement has ended, also when it is destroyed.
 */
export class FileContent extends Readable {
  private turn: TakeTurn = () => Promise.resolve(() => undefined);

  /** @param texts short ones are joined, so that the stream does not carry thousands of them */
  constructor(private readonly texts: AsyncGenerator<string>) {
    // nothing is read ahead
    super({ highWaterMark: 0 });
  }

  /** Lets each piece be read in a turn of its own. To be called before the first is read. */
  readInTurns(turn: TakeTurn): void {
    this.turn = turn;
  }

  override _read(): void {
    this.readPiece().catch((error: Error) => this.destroy(error));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // waits for the statement under way
    this.texts.return(undefined).then(
      () => done(error),
      (thrown: Error) => done(error ?? thrown),
    );
  }

  private async readPiece(): Promise<void> {
    const end = await this.turn();
    let piece = '';
    let isLast: boolean | undefined = false;
    try {
      while (!isLast && piece.length < PIECE) {
        const { done, value } = await this.texts.next();
        isLast = done;
        piece += value ?? '';
      }
    } finally {
      end();
    }
    if (this.destroyed) return;
    if (piece !== '') this.push(piece);
    if (isLast) this.push(null);
  }
}
