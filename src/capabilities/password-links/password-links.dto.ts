import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { IsPassword } from '../../auth/password.rule.js';
import { PASSWORD_RULE } from '../../domain/account.js';
import { Instant } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { LANGUAGES, type Language } from '../../platform/http/fields/languages.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';
import { IsAccountEmail } from '../../user-links/user-links.dto.js';

/** Body of `POST /auth/password-links`. */
export class AskForPasswordLinkDto {
  @ApiProperty({ example: 'maria@example.com' })
  @IsAccountEmail()
  email: string;

  @ApiPropertyOptional({
    enum: LANGUAGES,
    enumName: 'Language',
    description: 'of the mail, unless the person chose one',
  })
  @IfGiven()
  @IsIn(LANGUAGES)
  language?: Language;
}

/** Body of `POST /auth/password-links/use`. */
export class UsePasswordLinkDto {
  @ApiProperty({ description: 'the part of the link after the #', example: 'pwl_…' })
  @IsString()
  @MaxLength(100)
  token: string;

  @ApiProperty({ example: 'a-long-password', description: PASSWORD_RULE })
  @IsPassword()
  password: string;
}

/** A new link, as returned once to who made it. */
class NewPasswordLinkView {
  @ApiProperty({ description: 'below the address of this relay; not shown again', example: '/console/password#pwl_…' })
  link: string;
  @Instant() expiresAt: Date;
}

/** Response of `POST …/users/:userId/password-links`. */
export class PasswordLinkMadeView extends MessageWith(NewPasswordLinkView) {}

class PasswordOfView {
  @ApiProperty({ description: 'the account whose password it is now' }) email: string;
}

/** Response of `POST /auth/password-links/use`. */
export class PasswordReplacedView extends MessageWith(PasswordOfView) {}
