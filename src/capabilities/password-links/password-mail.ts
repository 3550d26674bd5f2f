import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { Language } from '../../platform/http/fields/languages.js';
import { digestOf, newToken } from '../../platform/secrets/token.js';
import type { MessageKind } from '../channels/message-kind.js';
import { passwordPage, TOKEN_PREFIX, VALID_NOW } from './password-link.js';

/** The name of the kind in `notifications`. */
export const PASSWORD_MAIL = 'password_link';

const WORDS: Readonly<Record<Language, { readonly title: string; readonly text: string }>> = {
  en: {
    title: 'A new password for the terminal-POS relay',
    text:
      'Somebody, probably you, asked for a new password for this account. The link sets it. It is valid for one hour after the request.\n' +
      'If it was not you, ignore this mail: the password stays as it is.',
  },
  'pt-BR': {
    title: 'Uma nova senha para o relay terminal-POS',
    text:
      'Alguém, provavelmente você, pediu uma nova senha para esta conta. O link a define. Ele vale por uma hora após o pedido.\n' +
      'Se não foi você, ignore este e-mail: a senha continua a mesma.',
  },
};

/** The mails with links to a new password (A44). The token is made when its mail is sent, so that the plain token is stored nowhere. */
export const passwordMails = (prisma: PrismaService): MessageKind => ({
  name: PASSWORD_MAIL,
  isToAccount: true,
  // a second mail after the first has arrived would end the link of the first
  isAtMostOnce: true,
  mostRows: 1,
  select: `
    SELECT CASE WHEN link.id IS NULL THEN 'the link has expired, or the password was changed' END, jsonb_build_object('link', link.id)
    FROM (SELECT) AS always LEFT JOIN LATERAL (
      SELECT password_links.id FROM password_links JOIN users ON users.id = user_id AND users.token_version = password_links.token_version
      WHERE password_links.id = message.subject AND ${VALID_NOW.sql}
      OFFSET 0
    ) AS link ON true`,
  events: {
    SENT: 'password_link.mailed',
    WAITING: 'password_link.mail_retry',
    FAILED: 'password_link.not_mailed',
    SKIPPED: 'password_link.mail_skipped',
  },
  order: (a, b) => (a.id < b.id ? -1 : 1),
  messageOf: async ({ id, about, language }) => {
    const token = newToken(TOKEN_PREFIX);
    const { link } = about as { link: string };
    const { count } = await prisma.passwordLink.updateMany({
      where: { id: link },
      data: { tokenHash: digestOf(token) },
    });
    if (count === 0) return undefined;
    return { id, topic: id, ...WORDS[language], path: passwordPage(token), fields: {} };
  },
  lineOf: ({ id, userId, attempts }) => ({ mail: id, user: userId, attempts }),
});
