import { applyDecorators, type CanActivate, Injectable, UseGuards } from '@nestjs/common';
import { ApiNotFoundResponse } from '@nestjs/swagger';
import { Config } from '../../platform/config/config.js';
import { problem } from '../../platform/http/problem.js';

const NOT_OPEN_TEXT = 'this relay runs with RESEND=off';

/** Answers 404 on a route unless RESEND allows resets (R9). */
@Injectable()
export class OperatorActionsGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  /** @throws 404 NOT_FOUND */
  canActivate(): boolean {
    if (this.config.resend !== 'off') return true;
    throw problem('NOT_FOUND', NOT_OPEN_TEXT);
  }
}

/** Opens a route only when RESEND allows resets, and documents the 404 in OpenAPI. */
export const OperatorAction = () =>
  applyDecorators(UseGuards(OperatorActionsGuard), ApiNotFoundResponse({ description: `NOT_FOUND: ${NOT_OPEN_TEXT}` }));
