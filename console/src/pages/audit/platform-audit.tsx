import { AuditEntries } from './entries.js';
import { useTexts } from './texts.js';

/** Who did what, everywhere, for platform administrators. */
export default function PlatformAudit() {
  return <AuditEntries title={useTexts().titleAll} timezone="UTC" />;
}
