import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Delays requests that arrive after the process has begun to listen and before the start has ended (S17). In this time the
 * administrator's account may not exist yet, and a correct sign-in would be refused.
 */
export class StartGate {
  private held: (() => void)[] | undefined;

  /** Requests wait until {@link open}. */
  close(): void {
    this.held = [];
  }

  open(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const go of held) go();
  }

  /** Must be called before every other hook is added. */
  guard(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onRequest', (_request, _reply, next) => {
      if (this.held) this.held.push(next);
      else next();
    });
  }
}
