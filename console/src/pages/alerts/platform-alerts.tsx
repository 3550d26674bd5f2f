import { AlertList } from './alert-list.js';
import { useTexts } from './texts.js';

/** The alerts of the platform, for its administrators. */
export default function PlatformAlerts() {
  const { titleAll } = useTexts();
  return <AlertList title={titleAll} timezone="UTC" mayAcknowledge />;
}
