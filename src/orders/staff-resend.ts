import { applyDecorators, type CanActivate, Injectable, UseGuards } from '@nestjs/common';
import type { OrderBeforeReset } from '../outbox/store/reset.js';
import { Config } from '../platform/config/config.js';
import type { ErrorCode } from '../platform/http/error-codes.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { problem } from '../platform/http/problem.js';
import { ForPermission } from '../user-links/restaurant.guard.js';
import { RESEND_CODES } from './error-codes.js';

/** Each of these permissions allows a person to send an order again (A13, R35). */
export const RESEND_PERMISSIONS = ['manage_operations', 'manage_data'] as const;

/** Refuses a route to staff unless RESEND=restaurants (R35). */
@Injectable()
export class StaffResendGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  /** @throws 403 RESEND_OFF */
  canActivate(): boolean {
    if (this.config.resend === 'restaurants') return true;
    const who = this.config.resend === 'off' ? 'nobody sends' : 'only the operator sends';
    throw problem(RESEND_CODES.RESEND_OFF, `in this relay ${who} orders again (RESEND)`);
  }
}

/** A route by which the staff of a restaurant send orders again. */
export const StaffResend = () =>
  applyDecorators(
    ForPermission(...RESEND_PERMISSIONS),
    UseGuards(StaffResendGuard),
    Refuses(RESEND_CODES.RESEND_OFF, 'QUOTA_REACHED'),
  );

/** Documents the refusals of {@link refusalOf}. */
export const RefusesResend = () =>
  Refuses(
    RESEND_CODES.ORDER_CANCELLED,
    RESEND_CODES.ORDER_DELIVERED,
    'ORDER_ENTERED',
    RESEND_CODES.ORDER_ERASED,
    'ORDER_UNDER_WAY',
    'NOT_FOUND',
  );

/**
 * Why an order cannot be sent again (R35); undefined: it was reset.
 * @param although `entered`: whether it is sent although somebody has entered it in the till (R65)
 */
export function refusalOf(
  { status, cancelled, erased, entered }: OrderBeforeReset,
  although: { readonly entered: boolean },
): [ErrorCode, string] | undefined {
  if (cancelled) return [RESEND_CODES.ORDER_CANCELLED, 'the order was cancelled: it is not sent again'];
  if (status === 'SENT') return [RESEND_CODES.ORDER_DELIVERED, 'the POS has this order: it is not sent again'];
  if (status === 'PENDING' || status === 'PROCESSING')
    return ['ORDER_UNDER_WAY', 'the order is being sent: wait for the result'];
  if (erased) return [RESEND_CODES.ORDER_ERASED, 'the content of the sale was erased: nothing is left to send'];
  if (entered && !although.entered)
    return [
      'ORDER_ENTERED',
      'somebody has entered it in the till: sent too, it is cooked twice; to send it all the same, send {"entered": true}',
    ];
  return undefined;
}
