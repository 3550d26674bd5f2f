import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AuditPageView, QueryAuditDto } from '../platform/audit/audit.dto.js';
import { AuditReader } from '../platform/audit/audit-reader.js';
import { Does } from '../platform/http/does.js';
import { CallerLink, ForRoles, type Link } from '../user-links/restaurant.guard.js';

/** The audit of a restaurant, for its OWNERs (R23). */
@ApiTags('restaurants')
@Controller('restaurants/:restaurantId')
export class RestaurantAuditController {
  constructor(private readonly entries: AuditReader) {}

  @Get('audit')
  @ForRoles('OWNER')
  @Does(
    'Lists the audit of a restaurant',
    'Changes of the restaurant, its credentials, its users and roles, cancels, resets, and the sign-ins of users with an ' +
      'accepted link; newest first, paged by cursor: send `meta.next` as `after`.',
  )
  @ApiOkResponse({ type: AuditPageView, description: 'one page of entries' })
  listRestaurantAudit(@CallerLink() { restaurantId }: Link, @Query() query: QueryAuditDto): Promise<AuditPageView> {
    return this.entries.list(query, restaurantId);
  }
}
