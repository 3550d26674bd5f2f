import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { MailCatcher } from '../simulator/mail-catcher.js';
import { NEW_PRODUCT } from './evening.js';
import { connect } from './journey.js';
import type { Answer, Terminal } from './terminal.js';

const LOOK_EVERY_MS = 200;
/** The demo does not wait for 5 minutes: the step after the first one is due at once. */
const HURRY = `
  UPDATE alerts SET step = 1, next_step_at = now()
  WHERE kind = 'ORDER_PARKED' AND step = 0 AND next_step_at IS NOT NULL`;

/** The owner of the restaurant, with a mailbox: is notified of the parked order, sets the code of its product, and sends it again. */
export class Owner {
  readonly mailbox = new MailCatcher();
  private read = 0;
  private client: pg.Client | undefined;

  /** @returns SMTP_URL */
  async openMailbox(): Promise<string> {
    return `smtp://127.0.0.1:${await this.mailbox.listen()}`;
  }

  /** Asks for a test mail, and confirms the address by the token in it, as the page does. */
  async confirmAddress(terminal: Terminal): Promise<void> {
    await terminal.call('POST', '/users/me/notifications/test', { channel: 'mail' });
    const mail = await this.nextMail();
    const token = /confirm=([\w-]+)/.exec(mail)?.[1];
    await terminal.call('POST', '/users/me/notifications/confirm', { token });
  }

  /**
   * Waits for the mail of the alert, and moves its clock meanwhile.
   * @param databaseFolder the socket folder of the embedded database
   * @returns the subject
   */
  async isTold(databaseFolder: string, stop: AbortSignal): Promise<string> {
    this.client ??= await connect(databaseFolder);
    while (!stop.aborted && this.read === this.mailbox.mails.length) {
      await this.client.query(HURRY);
      await delay(LOOK_EVERY_MS, undefined, { signal: stop });
    }
    const mail = await this.nextMail();
    return (/^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(mail)?.[1] ?? '').replaceAll(/\r\n[ \t]/g, ' ');
  }

  /** Presses "Keep and send again" on the order's page: the next sales have the code, too. */
  mapAndSendAgain(terminal: Terminal, transactionKey: string): Promise<Answer> {
    const path = `/restaurants/${terminal.restaurantId}/orders/${transactionKey}/map`;
    return terminal.call('POST', path, { items: [NEW_PRODUCT] });
  }

  async close(): Promise<void> {
    await this.client?.end();
    await this.mailbox.close();
  }

  private async nextMail(): Promise<string> {
    while (this.read === this.mailbox.mails.length) await delay(LOOK_EVERY_MS);
    const { source } = this.mailbox.mails[this.read++] as { source: string };
    // quoted-printable folds long lines
    return source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  }
}
