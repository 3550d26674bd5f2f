import type { CDPSession, Worker } from 'playwright-core';
import { Escalation } from '../../../../src/capabilities/alerts/escalation.js';
import { Reconciler } from '../../../../src/capabilities/alerts/reconciler.js';
import { Outgoing } from '../../../../src/capabilities/channels/outgoing.js';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { MailCatcher } from '../../../../tools/simulator/mail-catcher.js';
import { sale } from '../../../support/client.js';
import { marked } from '../../../support/secrets.js';
import { Browser } from '../../channels/browser.js';
import { Receiver } from '../../channels/receiver.js';
import {
  browserOf,
  describeWithNotifications,
  FULL_CHROMIUM,
  type Look,
  NEEDS_NOTIFICATIONS,
  SOUND,
  type Window,
} from './browser.js';
import { type Evening, openEvening, PARKED } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const MAIL_USER = { user: 'relay', password: marked('smtp') };

describeWithNotifications(
  `from a parked order to a cooked one, on a phone (G4, G9, G22, R35)${NEEDS_NOTIFICATIONS}`,
  () => {
    let evening: Evening;
    const push = new Receiver();
    const hook = new Receiver();
    const mail = new MailCatcher(MAIL_USER);
    let phone: Browser;
    let hookUrl: string;
    const look = browserOf(() => evening.scenario.relay.url, FULL_CHROMIUM);

    beforeAll(async () => {
      const port = await mail.listen();
      hookUrl = await hook.listen();
      phone = new Browser(`${await push.listen()}/phone`);
      evening = await openEvening({
        ...{ RESEND: 'restaurants', ALERT_CONTACT: 'mailto:ops@example.com', OUTBOUND_ALLOW: '127.0.0.0/8' },
        ...{
          SMTP_URL: `smtp://${MAIL_USER.user}:${MAIL_USER.password}@127.0.0.1:${port}`,
          MAIL_FROM: 'relay@example.com',
        },
      });
      // the order that waits would be an alert of its own
      await evening.scenario.database.query(`DELETE FROM outbox_jobs WHERE status = 'FAILED'`);
    });
    afterAll(async () => {
      await evening?.scenario.close();
      await Promise.all([push.close(), hook.close(), mail.close()]);
    });

    /** A round of the alerts, `minutes` later. */
    async function after(minutes: number): Promise<void> {
      const { database, relay } = evening.scenario;
      const by = `interval '${minutes} minutes'`;
      await database.query(`UPDATE alerts SET last_at = last_at - ${by}, next_step_at = next_step_at - ${by}`);
      await database.query(`UPDATE notifications SET ended_at = ended_at - ${by}, next_try_at = next_try_at - ${by}`);
      await relay.get(Reconciler).reconcile();
      await relay.get(Escalation).advance();
      await relay.get(Outgoing).send();
    }

    const pushed = () => push.received.splice(0).map(({ body }) => phone.decrypt(body));

    /** A window whose push service is the one of this test: no browser may subscribe to another than its own. */
    async function phoneOf(
      path: string,
    ): Promise<{ window: Window; deliver: (text: string) => Promise<void>; tap: () => Promise<void> }> {
      const window = await look(PHONE);
      const { page } = window;
      const context = page.context();
      await context.grantPermissions(['notifications']);
      const subscription = JSON.stringify(phone.subscription);
      await context.addInitScript(`
      PushManager.prototype.subscribe = PushManager.prototype.getSubscription = async () => ({ toJSON: () => (${subscription}) });
      Notification.requestPermission = async () => 'granted';`);
      await window.enter(evening.owner);
      const session: CDPSession = await context.newCDPSession(page);
      const registration = new Promise<string>((resolve) =>
        session.on(
          'ServiceWorker.workerRegistrationUpdated',
          ({ registrations: [first] }) => first && resolve(first.registrationId),
        ),
      );
      await session.send('ServiceWorker.enable');
      await window.goTo(path);
      const worker = async (): Promise<Worker> =>
        context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
      const shown = `self.registration.getNotifications()`;
      return {
        window,
        deliver: async (data) => {
          const registrationId = await registration;
          // a push for a worker that is not active yet is dropped
          await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
          await session.send('ServiceWorker.deliverPushMessage', {
            origin: new URL(page.url()).origin,
            registrationId,
            data,
          });
          await evening.scenario.jobs.until(
            async () => ((await (await worker()).evaluate(`${shown}.then((all) => all.length)`)) as number) > 0,
          );
        },
        tap: async () => {
          await (await worker()).evaluate(
            `${shown}.then(([notification]) => self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`,
          );
        },
      };
    }

    test('the owner subscribes on the phone, and confirms by the test notification', async () => {
      const { window, deliver, tap } = await phoneOf('/account');
      const { page } = window;
      await page.getByRole('button', { name: 'Tell me on this device' }).click();
      await page.getByText('A test notification is on its way').waitFor();
      const shot = process.env.SHOT;
      if (shot) await page.screenshot({ path: `${shot}/account.png`, fullPage: true });
      expect(await window.sound()).toEqual(SOUND);
      const [text] = pushed();
      await deliver(text as string);
      await tap();
      await page.getByRole('button', { name: 'Confirm', exact: true }).click();
      await page.getByText('Confirmed: you are told this way.').waitFor();
      expect(page.url()).toMatch(/\/console\/account$/);
    });

    test('parked: the notification opens the order, one press after the product is entered, cooked; the alert closes and says so; the audit says who', async () => {
      const { scenario, restaurantId, owner } = evening;
      const { window, deliver, tap } = await phoneOf(`/r/${restaurantId}/tonight`);
      const { page } = window;
      await after(0);
      await after(1.1);
      const [text] = pushed();
      expect(JSON.parse(text as string).notification.title).toMatch(/1 order is paid, but not in the POS/);
      await deliver(text as string);
      await tap();
      // tonight's page has buttons of this name too
      await page.waitForURL(`**/orders/${PARKED}*`);
      await page.getByRole('button', { name: /^Send again .*1012/ }).waitFor({ state: 'detached' });
      const { body } = await scenario.api.get(`/restaurants/${restaurantId}/orders/${PARKED}`, owner.token).expect(200);
      for (const { integration_code } of body.order.items) scenario.pos.addProduct(integration_code);
      await page.getByRole('button', { name: 'Send again', exact: true }).click();
      await page.getByText('It is being sent.').waitFor();
      await scenario.relay.tick();
      await page.getByText(/The POS has this order since/).waitFor();
      expect(scenario.pos.orders.get(PARKED)?.cooked).toBe(1);
      await after(1.1);
      expect(pushed().map((each) => JSON.parse(each).notification.title)).toEqual([expect.stringContaining('solved')]);
      await window.goTo(`/r/${restaurantId}/audit?action=order.resent`);
      await page.locator('tbody').getByText(owner.email).first().waitFor();
    });

    test('nobody presses: mail after 5 minutes, the webhook after 15', async () => {
      const { scenario, restaurantId, owner } = evening;
      await scenario.api.post('/users/me/notifications/test', owner.token, { channel: 'mail' }).expect(202);
      await scenario.database.query('UPDATE notification_preferences SET mail_confirmed_at = now()');
      await scenario.api.put(`/restaurants/${restaurantId}/alert-webhook`, owner.token, { url: hookUrl }).expect(200);
      mail.mails.length = 0;
      hook.received.length = 0;
      await scenario.database.query('DELETE FROM alerts');
      await scenario.settle(
        await scenario.relay.accept(sale({ storeCode: RESTAURANT.codeStoreTerminal })),
        'DLQ',
        'unknown',
      );
      await after(0);
      await after(1.1);
      expect(pushed()).toHaveLength(1);
      await after(4.8);
      expect(mail.mails).toHaveLength(0);
      await after(0.3);
      expect(mail.mails).toHaveLength(1);
      await after(9.8);
      expect(hook.received).toHaveLength(0);
      await after(0.3);
      expect(hook.received.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
        { text: expect.stringContaining('not in the POS'), kind: 'ORDER_PARKED', state: 'open' },
      ]);
      expect(mail.mails).toHaveLength(2);
    });

    test('the link of a message that an earlier version sent confirms too: its token is in the query (G21)', async () => {
      const { scenario, owner } = evening;
      await scenario.database.query(
        `UPDATE notification_preferences SET mail_tested_at = mail_tested_at - interval '1 minute'`,
      );
      await scenario.api.post('/users/me/notifications/test', owner.token, { channel: 'mail' }).expect(202);
      // quoted-printable may fold the link
      const source = (mail.mails.at(-1)?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
      const [, token] = /#confirm=(cfm_[\w-]+)/.exec(source) ?? [];
      const { page } = await look(PHONE, owner, `/account?confirm=${token}`);
      await page.getByRole('button', { name: 'Confirm', exact: true }).click();
      await page.getByText('Confirmed: you are told this way.').waitFor();
      expect(page.url()).toMatch(/\/console\/account$/);
    });
  },
);
