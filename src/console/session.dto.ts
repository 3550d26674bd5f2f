import { ApiProperty } from '@nestjs/swagger';
import { UserView } from '../auth/auth.dto.js';

/** A session of the console (N3). The token stands in the cookie, never here. */
export class SessionView {
  @ApiProperty()
  user: UserView;

  @ApiProperty({ type: String, format: 'date-time', description: 'when the session ends by itself' })
  expiresAt: Date;

  @ApiProperty({ description: 'of the relay' })
  version: string;

  @ApiProperty({ enum: ['self', 'admin'], description: 'ONBOARDING: who creates restaurants (A18)' })
  onboarding: string;

  @ApiProperty({ description: 'OPERATOR_ACTIONS: whether platform administrators may reset jobs here (R9)' })
  operatorActions: boolean;
}
