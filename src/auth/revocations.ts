import { Injectable } from '@nestjs/common';

/** Says in this process that a link, a session or a token has just ended, so that what is still open for it ends at once (N31). */
@Injectable()
export class Revocations {
  private readonly listeners = new Set<() => void>();

  /** @param listener has to read what has ended: it is called after the change was committed, without saying what changed */
  listen(listener: () => void): void {
    this.listeners.add(listener);
  }

  announce(): void {
    for (const listener of this.listeners) listener();
  }
}
