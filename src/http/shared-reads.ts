import { Injectable } from '@nestjs/common';

/** How long an answer is shared, counted from the moment its reading began; ms. */
const LIFETIME_MS = 1_000;
/** Answers remembered at once; what comes beyond them is read for itself. */
const MAX_REMEMBERED = 200;
const MAX_KEY_LENGTH = 2_048;

/**
 * What many viewers ask at once is read once (N8): whoever asks while it is being read waits for the same answer, and for a second
 * after its beginning the answer is given to whoever asks. An error is shared with those who waited for it, and forgotten.
 */
@Injectable()
export class SharedReads {
  private readonly answers = new Map<string, Promise<unknown>>();
  private writing = 0;

  /**
   * @param key all that the answer depends on
   * @param read reads it; called when nobody has lately
   */
  of<Answer>(key: string, read: () => Promise<Answer>): Promise<Answer> {
    if (this.writing > 0) return read();
    const known = this.answers.get(key);
    if (known) return known as Promise<Answer>;
    const answer = read();
    if (this.answers.size < MAX_REMEMBERED && key.length <= MAX_KEY_LENGTH) this.remember(key, answer);
    return answer;
  }

  /**
   * Shares nothing while somebody writes: who has changed something sees it at once.
   * @returns ends the pause; a second call does nothing
   */
  pause(): () => void {
    this.writing++;
    this.answers.clear();
    let ended = false;
    return () => {
      if (!ended) this.writing--;
      ended = true;
    };
  }

  private remember(key: string, answer: Promise<unknown>): void {
    this.answers.set(key, answer);
    const endsAt = performance.now() + LIFETIME_MS;
    const forget = () => {
      if (this.answers.get(key) === answer) this.answers.delete(key);
    };
    answer.then(() => {
      const restMs = endsAt - performance.now();
      if (restMs > 0) setTimeout(forget, restMs).unref();
      else forget();
    }, forget);
  }
}
