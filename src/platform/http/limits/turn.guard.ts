import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { OWN_BODY } from '../body/own-body.js';
import { type Linked, NO_TURN, Shares } from './shares.js';

/** The last guard: authorized requests whose body has arrived take turns (H20). */
@Injectable()
export class TurnGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly shares: Shares,
  ) {}

  /** @throws 503 TOO_MANY_AT_ONCE; ClientGoneError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    if (this.reflector.get(NO_TURN, handler) || this.reflector.get(OWN_BODY, handler)) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest & { link?: Linked; account?: Linked }>();
    await this.shares.begin(request, request.link ?? request.account);
    return true;
  }
}
