import { applyDecorators, type CanActivate, HttpStatus, Injectable, UseGuards } from '@nestjs/common';
import { ApiNotFoundResponse } from '@nestjs/swagger';
import { Config } from '../config/config.js';
import { problem } from '../http/problem.js';

const NOT_OPEN_TEXT = 'this relay runs without OPERATOR_ACTIONS=true';

/** Closes a route as if it were not there, unless OPERATOR_ACTIONS=true (R9). */
@Injectable()
export class OperatorActionsGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  /** @throws 404 NOT_FOUND */
  canActivate(): boolean {
    if (this.config.operatorActions) return true;
    throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', NOT_OPEN_TEXT);
  }
}

/** Opens a route with OPERATOR_ACTIONS=true only, and documents that in OpenAPI. */
export const OperatorAction = () =>
  applyDecorators(UseGuards(OperatorActionsGuard), ApiNotFoundResponse({ description: `NOT_FOUND: ${NOT_OPEN_TEXT}` }));
