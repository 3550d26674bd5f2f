import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { CursorPageDto, CursorPageMetaView, MAX_PAGE } from '../http/cursor-page.js';
import { Instant, Uuid } from '../http/fields.js';
import { QueryEnum } from '../http/query-enum.js';
import { QueryTime } from '../http/query-time.js';
import { AUDIT_ACTIONS, type AuditAction } from './actions.js';

/** Query parameters of a list of audit entries. */
export class QueryAuditDto extends CursorPageDto {
  @QueryEnum(AUDIT_ACTIONS, 'AuditAction')
  action?: AuditAction;

  @ApiPropertyOptional({ description: 'the email of who acted' })
  @IsOptional()
  @IsString()
  @MaxLength(320)
  actor?: string;

  @QueryTime('at or after')
  from?: Date;

  @QueryTime('before')
  to?: Date;
}

/** Who did what, and when (R27). */
export class AuditEntryView {
  @Uuid() id: string;
  @Instant() at: Date;
  @ApiProperty({ enum: AUDIT_ACTIONS, enumName: 'AuditAction' }) action: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) actorId: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'as it was then' }) actorEmail: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: "null: no restaurant's" })
  restaurantId: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'its name now, deleted or not' })
  restaurantName: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'whom or what it was done to: an email, a key, a name' })
  target: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'what there is to say of this action; of a secret only that it was changed',
    example: { role: 'ADMIN', before: 'EMPLOYEE' },
  })
  details: Record<string, unknown>;

  @ApiProperty({ type: String, nullable: true, description: 'the `X-Request-Id` of the request that did it' })
  requestId: string | null;
}

/** Response of `GET /restaurants/:restaurantId/audit` and `GET /admin/audit`. */
export class AuditPageView {
  @ApiProperty({ type: [AuditEntryView], maxItems: MAX_PAGE, description: 'newest first' }) data: AuditEntryView[];
  @ApiProperty() meta: CursorPageMetaView;
}
