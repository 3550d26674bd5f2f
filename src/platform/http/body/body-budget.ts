import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../../telemetry/metrics.js';
import { problem } from '../problem.js';

/** Whether the sender of a body was authenticated before the body is read. */
export type Proof = 'proven' | 'unproven';

const MEBIBYTE = 1_048_576;
const RETRY_AFTER_SECONDS = 2;

/** A body under way. The caller that opens one must end it. */
export interface HeldBody {
  /**
   * Sets the bytes that are kept of the body. Bodies that still arrive give way for them, the largest first; of equal ones the oldest.
   * @returns false: there is no room, or this body itself is the largest. It then keeps what it had.
   */
  resize(bytes: number): boolean;
  /** All of it has arrived, or arrives with its next bytes: it gives way no more. */
  settle(): void;
  /** Nothing is kept of it any more. Further calls do nothing. */
  end(): void;
}

/**
 * The bytes of all bodies under way in this process (W43, L110; decisions/067). Who is not authenticated has a budget of their own, and
 * takes nothing from senders who are.
 */
@Injectable()
export class BodyBudget {
  /** the most bytes */
  readonly limits: Record<Proof, number> = { proven: 64 * MEBIBYTE, unproven: 16 * MEBIBYTE };
  private readonly held: Record<Proof, number> = { proven: 0, unproven: 0 };
  /** the oldest first */
  private readonly arriving: Record<Proof, Set<Held>> = { proven: new Set(), unproven: new Set() };

  constructor({ registry }: Metrics) {
    const { held } = this;
    new Gauge({
      name: 'relay_body_bytes',
      help: 'Bytes of request bodies under way, by whether the sender is authenticated',
      labelNames: ['sender'],
      registers: [registry],
      collect() {
        for (const [sender, bytes] of Object.entries(held)) this.set({ sender }, bytes);
      },
    });
  }

  /** The bytes that are kept now. */
  get bytes(): Readonly<Record<Proof, number>> {
    return this.held;
  }

  /** @param giveWay is called when another body needs the room: it must end the body, and answer it with {@link tooManyBodies} */
  open(proof: Proof, giveWay: () => void): HeldBody {
    return new Held(this.arriving[proof], giveWay, (more) => this.add(proof, more));
  }

  /** @returns false: there is no room */
  private add(proof: Proof, more: number): boolean {
    if (more > 0 && this.held[proof] + more > this.limits[proof]) return false;
    this.held[proof] += more;
    return true;
  }
}

class Held implements HeldBody {
  private bytes = 0;

  constructor(
    private readonly arriving: Set<Held>,
    readonly giveWay: () => void,
    private readonly add: (more: number) => boolean,
  ) {
    arriving.add(this);
  }

  resize(bytes: number): boolean {
    while (!this.add(bytes - this.bytes)) {
      const largest = this.largest(bytes);
      if (!largest || largest === this) return false;
      largest.giveWay();
      largest.end();
    }
    this.bytes = bytes;
    return true;
  }

  /** @param bytes what this body would have @returns the largest body, which gives way next; of equal ones the oldest */
  private largest(bytes: number): Held | undefined {
    let found: Held | undefined;
    let most = -1;
    for (const each of this.arriving) {
      const its = each === this ? bytes : each.bytes;
      if (its <= most) continue;
      found = each;
      most = its;
    }
    return found;
  }

  settle(): void {
    this.arriving.delete(this);
  }

  end(): void {
    this.arriving.delete(this);
    this.add(-this.bytes);
    this.bytes = 0;
  }
}

/** The answer to a body for which there is no room (W43). */
export function tooManyBodies() {
  return problem(
    'TOO_MANY_BODIES',
    'too many bodies are under way: this was not read, send it again',
    RETRY_AFTER_SECONDS,
  );
}
