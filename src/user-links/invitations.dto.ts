import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { IsPassword } from '../auth/password.rule.js';
import { PASSWORD_RULE } from '../domain/account.js';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { Instant, ListOf, OneOf, Uuid } from '../platform/http/fields/fields.js';
import { MessageWith } from '../platform/http/fields/message.view.js';
import { IsAccountEmail, IsPersonName, IsRole } from './user-links.dto.js';
import { AcceptedLinkView } from './user-links.views.js';

/** Body of `POST /restaurants/:restaurantId/invitations`. */
export class InviteDto {
  @ApiProperty({ example: 'maria@example.com' })
  @IsAccountEmail()
  email: string;

  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole', example: 'EMPLOYEE' })
  @IsRole()
  role: RestaurantRole;
}

/** Body of `POST /invitations/read` and `POST /invitations/accept`. */
export class InvitationTokenDto {
  @ApiProperty({ description: 'the part of the link after the #', example: 'inv_…' })
  @IsString()
  @MaxLength(100)
  token: string;
}

/** Body of `POST /invitations/join`. */
export class JoinDto extends InvitationTokenDto {
  @ApiProperty({ example: 'a-long-password', description: PASSWORD_RULE })
  @IsPassword()
  password: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Maria' })
  @IsOptional()
  @IsPersonName()
  name?: string | null;
}

/** A pending invitation. */
export class InvitationView {
  @Uuid() id: string;
  @ApiProperty() email: string;
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole') role: RestaurantRole;
  @ApiProperty({ description: 'the email of the inviter; the id while the email is hidden' }) invitedBy: string;
  @Instant() createdAt: Date;
  @Instant() expiresAt: Date;
}

/** A new invitation, as returned once to the inviter. */
class NewInvitationView extends InvitationView {
  @ApiProperty({ description: 'not shown again; only its digest is stored', example: 'inv_…' }) token: string;
  @ApiProperty({ description: 'below the address of this relay', example: '/console/invitation#inv_…' }) link: string;
}

/** Response of `POST /restaurants/:restaurantId/invitations`. */
export class InvitedView extends MessageWith(NewInvitationView) {}

/** Response of `GET /restaurants/:restaurantId/invitations`. */
export class InvitationsView {
  @ListOf(InvitationView, 100, 'the newest first; 100 at most') invitations: InvitationView[];
}

/** Response of `POST /invitations/read`. */
export class InvitationOfferView {
  @ApiProperty() restaurantName: string;
  @ApiProperty({ description: 'the email it was sent to' }) email: string;
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole') role: RestaurantRole;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'true for a caller who is signed in with this email. Else null: sign in, or create an account',
  })
  hasAccount: boolean | null;

  @Instant() expiresAt: Date;
}

/** Response of `POST /invitations/accept` and `POST /invitations/join`. */
export class InvitationAcceptedView extends MessageWith(AcceptedLinkView) {}
