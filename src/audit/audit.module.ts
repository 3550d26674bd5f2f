import { Module } from '@nestjs/common';
import { AuditReader } from './audit-reader.js';
import { AuditTrail } from './audit-trail.js';

/** Who did what: written by the rooms that do it, read by OWNERs and platform administrators. */
@Module({ providers: [AuditTrail, AuditReader], exports: [AuditTrail, AuditReader] })
export class AuditModule {}
