import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import type { OrderBeforeReset } from '../outbox/store/reset.js';
import { Config } from '../platform/config/config.js';
import { preparedStatement } from '../platform/database/prepared.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import type { ErrorCode } from '../platform/http/error-codes.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { problem } from '../platform/http/problem.js';
import { ForPermission } from '../user-links/restaurant.guard.js';
import { RESEND_CODES } from './error-codes.js';

/** Each of these permissions allows a person to send an order again (A13, R35). */
export const RESEND_PERMISSIONS = ['manage_operations', 'manage_data'] as const;

/** Refuses to make orders of a paused restaurant due (O49): nothing of it is sent. @throws 409 RESTAURANT_PAUSED */
export async function refusePaused(prisma: PrismaService, restaurantId: string): Promise<void> {
  const [row] = await prisma.prepared<{ until: Date | null }>(PAUSED_UNTIL, [restaurantId]);
  if (row?.until)
    throw problem('RESTAURANT_PAUSED', `the restaurant is paused until ${row.until.toISOString()}: resume it first`);
}

const PAUSED_UNTIL = preparedStatement(
  'paused_until',
  'SELECT paused_until AS until FROM restaurants WHERE id = $1::uuid',
);

/** Refuses a route to staff unless RESEND=restaurants (R35), and while the restaurant is paused (O49). */
@Injectable()
export class StaffResendGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly prisma: PrismaService,
  ) {}

  /** @throws 403 RESEND_OFF; 409 RESTAURANT_PAUSED */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.config.resend === 'restaurants') {
      const { params } = context.switchToHttp().getRequest<{ params: { restaurantId: string } }>();
      await refusePaused(this.prisma, params.restaurantId);
      return true;
    }
    const who = this.config.resend === 'off' ? 'nobody sends' : 'only the operator sends';
    throw problem(RESEND_CODES.RESEND_OFF, `in this relay ${who} orders again (RESEND)`);
  }
}

/** A route by which the staff of a restaurant send orders again. */
export const StaffResend = () =>
  applyDecorators(
    ForPermission(...RESEND_PERMISSIONS),
    UseGuards(StaffResendGuard),
    Refuses(RESEND_CODES.RESEND_OFF, 'RESTAURANT_PAUSED', 'QUOTA_REACHED'),
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
