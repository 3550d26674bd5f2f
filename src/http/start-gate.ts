import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Holds requests that arrive between listening and the end of the start (S17): until then the administrator may not be there,
 * and a sign-in would be refused that is right.
 */
export class StartGate {
  private held: (() => void)[] | undefined;

  /** From now on requests wait for {@link open}. */
  close(): void {
    this.held = [];
  }

  open(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const go of held) go();
  }

  /** Must come before every other hook of a request. */
  guard(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onRequest', (_request, _reply, next) => {
      if (this.held) this.held.push(next);
      else next();
    });
  }
}
