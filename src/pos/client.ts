import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { judge, type PosAnswer } from '../domain/pos-answer.js';
import type { PosCancel, PosOrder } from '../domain/pos-order.js';
import { readAnswer } from './answer-body.js';
import { PosHttp } from './http.js';
import type { PosTarget } from './target.js';
import { type PosToken, PosTokens } from './tokens.js';

/** What came of a call: refused at the sign-in, answered (or lost) at its path, or not begun in time. */
export type Delivery =
  | { readonly step: 'sign-in'; readonly answer: PosAnswer }
  | { readonly step: 'order'; readonly answer: PosAnswer; readonly token: PosToken }
  | { readonly step: 'not-begun' };

/** Asked before each call: whether there is still time for one, and its answer. */
export type MayCall = () => boolean;

/** The POS order interface (seed, "Outbound calls to the POS"). Every expected answer is a value. */
@Injectable()
export class PosClient {
  constructor(
    private readonly http: PosHttp,
    private readonly tokens: PosTokens,
    private readonly config: Config,
  ) {}

  /** `POST {pos_base_url}/order` */
  createOrder(target: PosTarget, order: PosOrder, mayCall: MayCall): Promise<Delivery> {
    return this.deliver(target, '/order', order, mayCall);
  }

  /** `POST {pos_base_url}{POS_CANCEL_PATH}` */
  cancelOrder(target: PosTarget, order: PosCancel, mayCall: MayCall): Promise<Delivery> {
    return this.deliver(target, this.config.pos.cancelPath, order, mayCall);
  }

  /** After an authentication failure once more, with a new token. */
  private async deliver(target: PosTarget, path: string, body: unknown, mayCall: MayCall): Promise<Delivery> {
    const first = await this.attempt(target, path, body, mayCall);
    if (first.step !== 'order' || judge(first.answer, this.config.pos) !== 'sign-in-again') return first;
    return this.attempt(target, path, body, mayCall, first.token);
  }

  private async attempt(
    target: PosTarget,
    path: string,
    body: unknown,
    mayCall: MayCall,
    failed?: PosToken,
  ): Promise<Delivery> {
    if (!mayCall()) return { step: 'not-begun' };
    const signIn = await this.tokens.get(target, failed);
    if ('refused' in signIn) return { step: 'sign-in', answer: signIn.refused };
    if (!mayCall()) return { step: 'not-begun' };
    return { step: 'order', answer: await this.call(target, path, body, signIn), token: signIn };
  }

  private async call(target: PosTarget, path: string, body: unknown, { token }: PosToken): Promise<PosAnswer> {
    const { partnerId, secret } = target.credentials;
    const headers = {
      'id-partner': partnerId,
      secret,
      Authorization: `${this.config.pos.tokenScheme} ${token}`.trimStart(),
    };
    const exchange = await this.http.post(`${target.baseUrl}${path}`, headers, body, this.config.pos.timeoutMs);
    return readAnswer(exchange, Date.now(), [secret, token]);
  }
}
