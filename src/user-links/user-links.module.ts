import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AuditModule } from '../platform/audit/audit.module.js';
import { InvitationAnswersController } from './invitation-answers.controller.js';
import { InvitationAnswersService } from './invitation-answers.service.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { OwnLinksController } from './own-links.controller.js';
import { OwnLinksService } from './own-links.service.js';
import { UserLinksController } from './user-links.controller.js';
import { UserLinksService } from './user-links.service.js';

/** Links between users and restaurants, and the role of each. */
@Module({
  imports: [AuditModule, AuthModule],
  controllers: [UserLinksController, OwnLinksController, InvitationsController, InvitationAnswersController],
  providers: [UserLinksService, OwnLinksService, InvitationsService, InvitationAnswersService],
})
export class UserLinksModule {}
