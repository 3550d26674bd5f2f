import { Module } from '@nestjs/common';
import { AuditReader } from './audit-reader.js';
import { AuditTrail } from './audit-trail.js';

/** The audit: written by the modules that make the changes, read by OWNERs and platform administrators. */
@Module({ providers: [AuditTrail, AuditReader], exports: [AuditTrail, AuditReader] })
export class AuditModule {}
