import { ApiProperty } from '@nestjs/swagger';
import { UserView } from '../../auth/auth.dto.js';
import { CAPABILITY_NAMES } from '../../platform/config/capabilities.js';
import { RESEND } from '../../platform/config/config.js';
import { Instant, ListOf, NullableText, OneOf, Uuid } from '../../platform/http/fields/fields.js';

/** A session of the console (N3). The token is in the cookie only. */
export class SessionView {
  @ApiProperty() user: UserView;
  @Instant('when the session expires') expiresAt: Date;
  @ApiProperty({ description: 'the version of the relay' }) version: string;
  @OneOf(['self', 'admin'], 'Onboarding', 'ONBOARDING: who may create restaurants (A18)') onboarding: string;
  @ApiProperty({ description: 'whether platform administrators may send orders again (R9)' }) operatorActions: boolean;
  @OneOf(RESEND, 'Resend', 'RESEND: who may send orders again (R9, R35)') resend: string;
  @NullableText('OPERATOR_CONTACT: how to reach the operator') operatorContact: string | null;
  @ApiProperty({
    enum: CAPABILITY_NAMES,
    enumName: 'Capability',
    isArray: true,
    maxItems: 50,
    example: ['alerts', 'channels', 'console'],
    description: 'what this instance has loaded (CAPABILITIES, S43)',
  })
  capabilities: readonly string[];
}

/** A session that has not ended (N10). */
export class SignedInView {
  @Uuid() id: string;
  @ApiProperty({ description: 'whether it is the session of this request' }) current: boolean;

  @NullableText('browser and operating system, from its User-Agent; null: unknown', { example: 'Firefox · Windows' })
  browser: string | null;

  @ApiProperty({ example: '203.0.113.7', description: 'IP address of the sign-in; behind a proxy see TRUST_PROXY' })
  address: string;

  @Instant('when the session began') createdAt: Date;
  @Instant('its last request, updated at most once a minute') lastSeenAt: Date;
  @Instant('when the session expires') expiresAt: Date;
}

/** Response of `GET /console/session/all`. */
export class SignedInListView {
  @ListOf(SignedInView, 100, 'at most 100, the last seen first') sessions: SignedInView[];
}

/** Response of `DELETE /console/session/others`. */
export class SessionsEndedView {
  @ApiProperty({ example: 2, description: 'the number of ended sessions' }) ended: number;
}
