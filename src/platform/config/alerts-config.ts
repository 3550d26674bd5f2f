import type { EnvironmentReader } from './environment.js';
import { type OutboundException, readOutboundAllow } from './outbound-allow.js';

/** How people and systems are notified (section G). */
export interface AlertsConfig {
  /** the operator's mailto: or https: address, which push services require (G23); undefined: no push */
  readonly contact: string | undefined;
  /** the mail server and the sender of its mail (G25); undefined: no mail */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined;
  /** the webhook of the platform (G27); undefined: none */
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
  /** addresses that {@link OutboundTransport} may call although they are not public (G28) */
  readonly outboundAllow: readonly OutboundException[];
}

const ADDRESS = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/;
/** A name, in quotes as RFC 5322 has it or without, and an address. */
const NAMED_ADDRESS = /^(?:"((?:[^"\\\p{C}]|\\["\\]){1,100})"|([^<>"\p{C}]{1,100})) <([^<>]+)>$/u;
/** Characters of a name that would mean something else in a header. */
const SPECIAL = /[()<>[\]:;@\\,."]/;
/** `whsec_` and the base64 of 24 to 64 bytes */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;

/** Reads the variables of the channels; `read` collects the problems. */
export function readAlerts(read: EnvironmentReader): AlertsConfig {
  return {
    contact: readContact(read),
    mail: readMail(read),
    webhook: readWebhook(read),
    outboundAllow: readOutboundAllow(read, 'OUTBOUND_ALLOW'),
  };
}

function readContact(read: EnvironmentReader): string | undefined {
  const name = 'ALERT_CONTACT';
  const contact = read.contact(name);
  if (contact === undefined) return undefined;
  const isMail = contact.startsWith('mailto:') && ADDRESS.test(contact.slice('mailto:'.length));
  if (isMail || (contact.startsWith('https://') && URL.canParse(contact))) return contact;
  return read.problem(name, 'must be a mailto: or https: address, for example mailto:operator@example.com');
}

function readMail(read: EnvironmentReader): AlertsConfig['mail'] {
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
  const given = read.contact('MAIL_FROM');
  const [, quoted, plain, named] = NAMED_ADDRESS.exec(given ?? '') ?? [];
  const from = plain && SPECIAL.test(plain) ? `"${plain.replaceAll('\\', '\\\\')}" <${named}>` : given;
  if (given !== undefined && !ADDRESS.test((quoted ?? plain) === undefined ? given : (named as string)))
    read.problem('MAIL_FROM', 'must be an email address, or a name and <an email address>');
  if (read.text('SMTP_URL') && !from) read.problem('MAIL_FROM', 'is required with SMTP_URL');
  if (from && !read.text('SMTP_URL')) read.problem('SMTP_URL', 'is required with MAIL_FROM');
  if (smtpUrl !== undefined && new URL(smtpUrl).hostname === '')
    read.problem('SMTP_URL', 'must name a host, for example smtps://user:password@mail.example');
  return smtpUrl && from ? { smtpUrl, from } : undefined;
}

function readWebhook(read: EnvironmentReader): AlertsConfig['webhook'] {
  const url = read.url('ALERT_WEBHOOK_URL', ['http:', 'https:']);
  const secret = read.text('ALERT_WEBHOOK_SECRET');
  if (secret !== undefined && !isWebhookSecret(secret))
    read.problem(
      'ALERT_WEBHOOK_SECRET',
      'must be whsec_ and 24 to 64 bytes in base64 (echo "whsec_$(openssl rand -base64 32)")',
    );
  if (read.text('ALERT_WEBHOOK_URL') && !secret)
    read.problem('ALERT_WEBHOOK_SECRET', 'is required with ALERT_WEBHOOK_URL');
  if (secret && !read.text('ALERT_WEBHOOK_URL'))
    read.problem('ALERT_WEBHOOK_URL', 'is required with ALERT_WEBHOOK_SECRET');
  return url && secret ? { url, secret } : undefined;
}

function isWebhookSecret(text: string): boolean {
  const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? '', 'base64').length;
  return bytes >= 24 && bytes <= 64;
}
