import { Injectable } from '@nestjs/common';
import type { SendMailOptions } from 'nodemailer';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import type { Message, Sent } from './channel.js';
import { type MailError, secretsOfMail, withMailServer } from './mail-transport.js';
import { oneLine } from './one-line.js';
import { reasonFor } from './refused.js';
import { withoutLinks } from './without-links.js';

const MAX_SUBJECT = 200;
const MAX_LINE = 1_000;

/** Sends messages by e-mail (G25). */
@Injectable()
export class Mail {
  constructor(
    private readonly config: Config,
    private readonly prisma: PrismaService,
  ) {}

  /** Whether this relay has the channel. */
  get isAvailable(): boolean {
    return this.config.alerts.mail !== undefined;
  }

  /** Sends to the address of a user, if the user has confirmed it (G21). @param isToAccount or in any case */
  async sendToUser(userId: string, message: Message, isToAccount = false): Promise<Sent> {
    const user = await this.prisma.user.findFirst({
      where: { id: userId, ...(!isToAccount && { preferences: { mailConfirmedAt: { not: null } } }) },
      select: { email: true },
    });
    return user ? this.send(user.email, message) : failed('the user has not confirmed the address');
  }

  /** One try. @param to an address; not shown in a reason */
  async send(to: string, message: Message): Promise<Sent> {
    const { mail } = this.config.alerts;
    if (!mail) return failed('mail is not set up: SMTP_URL');
    try {
      await withMailServer(mail.smtpUrl, (server) =>
        server.sendMail(mailOf(message, to, mail.from, this.config.publicUrl)),
      );
      return { outcome: 'SENT' };
    } catch (error) {
      const { responseCode, message: text } = error as MailError;
      const secrets = [...secretsOfMail(mail.smtpUrl), to];
      const reason = reasonFor(message, `the mail server: ${text}`, secrets);
      return responseCode !== undefined && responseCode >= 500 ? failed(reason) : { outcome: 'RETRY', reason };
    }
  }
}

const failed = (reason: string): Sent => ({ outcome: 'FAILED', reason });

/**
 * A mail with plain text and a small HTML. Only the subject is a text of a message, as one line: no header comes from a text (G26).
 * @param from MAIL_FROM
 */
export function mailOf(message: Message, to: string, from: string, publicUrl: string): SendMailOptions {
  const { id, title, text, path } = withoutLinks(message);
  const links = (message.links ?? [{ label: '', path }]).map((link) => ({
    label: oneLine(link.label, MAX_SUBJECT),
    url: `${publicUrl}${link.path}`,
  }));
  const subject = oneLine(title, MAX_SUBJECT);
  const lines = text.split('\n').map((line) => oneLine(line, MAX_LINE));
  return {
    from,
    to: { name: '', address: to },
    subject,
    messageId: `<${id}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text: [subject, '', ...lines, '', ...links.map(({ label, url }) => (label ? `${label}: ${url}` : url)), ''].join(
      '\n',
    ),
    html: [
      ...['<!doctype html>', `<title>${escaped(subject)}</title>`, `<h1>${escaped(subject)}</h1>`],
      `<p>${lines.map(escaped).join('<br>\n')}</p>`,
      ...links.map(({ label, url }) => `<p><a href="${escaped(url)}">${escaped(label || url)}</a></p>`),
      '',
    ].join('\n'),
  };
}

function domainOf(from: string): string {
  return /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'relay.invalid';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
