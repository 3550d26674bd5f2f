import { ApiProperty } from '@nestjs/swagger';
import { CursorPageDto, CursorPageMetaView, MAX_PAGE } from '../http/fields/cursor-page.js';
import { Instant, ListOf, NullableText, NullableUuid, OneOf, Uuid } from '../http/fields/fields.js';
import { QueryEnum } from '../http/fields/query-enum.js';
import { QueryText } from '../http/fields/query-fields.js';
import { QueryTime } from '../http/fields/query-time.js';
import { AUDIT_ACTIONS, type AuditAction } from './actions.js';

/** Query parameters of a list of audit entries. */
export class QueryAuditDto extends CursorPageDto {
  @QueryEnum(AUDIT_ACTIONS, 'AuditAction')
  action?: AuditAction;

  @QueryText(320, 'the email of the user who acted')
  actor?: string;

  @QueryTime('at or after')
  from?: Date;

  @QueryTime('before')
  to?: Date;
}

/** An audited act (R27). */
export class AuditEntryView {
  @Uuid() id: string;
  @Instant() at: Date;
  @OneOf(AUDIT_ACTIONS, 'AuditAction') action: string;
  @NullableUuid() actorId: string | null;
  @NullableText('at the time of the act; null for OWNERs while the link of the user, made by id, is not accepted')
  actorEmail: string | null;
  @NullableUuid('null: an act outside a restaurant') restaurantId: string | null;
  @ApiProperty({
    type: 'array',
    maxItems: 50,
    items: { type: 'string', format: 'uuid' },
    description: 'of a sign-in or a new password: the restaurants whose OWNERs read it, if several. Empty for OWNERs',
  })
  restaurantIds: string[];

  @NullableText('the current name, of a deleted restaurant too') restaurantName: string | null;
  @NullableText('the object of the act: an email, a transaction key, a name') target: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'details of the action; never the value of a secret',
    example: { role: 'ADMIN', before: 'EMPLOYEE' },
  })
  details: Record<string, unknown>;

  @NullableText('the `X-Request-Id` of the request') requestId: string | null;
}

/** Response of `GET /restaurants/:restaurantId/audit` and `GET /admin/audit`. */
export class AuditPageView {
  @ListOf(AuditEntryView, MAX_PAGE, 'newest first') data: AuditEntryView[];
  @ApiProperty() meta: CursorPageMetaView;
}
