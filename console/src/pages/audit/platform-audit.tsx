import { AuditEntries } from './entries.js';
import { useTexts } from './texts.js';

/** The audit of the platform, for platform administrators. */
export default function PlatformAudit() {
  return <AuditEntries title={useTexts().titleAll} timezone="UTC" />;
}
