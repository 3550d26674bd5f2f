import { ApiProperty } from '@nestjs/swagger';
import { UserView } from '../auth/auth.dto.js';
import { Instant, Uuid } from '../http/fields.js';

/** A session of the console (N3). The token stands in the cookie, never here. */
export class SessionView {
  @ApiProperty() user: UserView;
  @Instant('when the session ends by itself') expiresAt: Date;
  @ApiProperty({ description: 'of the relay' }) version: string;

  @ApiProperty({
    enum: ['self', 'admin'],
    enumName: 'Onboarding',
    description: 'ONBOARDING: who creates restaurants (A18)',
  })
  onboarding: string;

  @ApiProperty({ description: 'OPERATOR_ACTIONS: whether platform administrators may reset jobs here (R9)' })
  operatorActions: boolean;
}

/** A sign-in to the console that has not ended (N10). */
export class SignedInView {
  @Uuid() id: string;
  @ApiProperty({ description: 'whether it is the session that asks' }) current: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Firefox · Windows',
    description: 'browser and system as the browser names itself; null: unknown',
  })
  browser: string | null;

  @ApiProperty({ example: '203.0.113.7', description: 'IP address of the sign-in; behind a proxy see TRUST_PROXY' })
  address: string;

  @Instant('when the session began') createdAt: Date;
  @Instant('its last request; up to a minute late') lastSeenAt: Date;
  @Instant('when the session ends by itself') expiresAt: Date;
}

/** Response of `GET /console/session/all`. */
export class SignedInListView {
  @ApiProperty({ type: [SignedInView], maxItems: 100, description: 'the last seen first; at most 100' })
  sessions: SignedInView[];
}

/** Response of `DELETE /console/session/others`. */
export class SessionsEndedView {
  @ApiProperty({ example: 2, description: 'how many sessions ended' }) ended: number;
}
