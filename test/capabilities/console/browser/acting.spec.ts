import { RESTAURANT } from '../../../../tools/demo/evening.js';
import type { PosSimulator } from '../../../../tools/simulator/simulator.js';
import {
  browserOf,
  builtConsole,
  describeInBrowser,
  holdBack,
  type Look,
  NEEDS_BROWSER,
  refused,
  SOUND,
} from './browser.js';
import { type Evening, openEvening, PARKED, WAITING } from './evening.js';

const HEIGHT_PX = 844;
const PHONE: Look = { width: 390, height: HEIGHT_PX, language: 'en-US' };

describeInBrowser(`sending an order again, in a browser (R35, R36, R37)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let pos: PosSimulator;

  beforeAll(async () => {
    evening = await openEvening({
      ...{ RESEND: 'restaurants', OPERATOR_CONTACT: 'mailto:ops@example.com' },
    });
    ({ pos } = evening.scenario);
  });
  /** of another relay than that of the evening */
  let other: string | undefined;
  const look = browserOf(() => other ?? evening.scenario.relay.url);
  afterEach(() => {
    other = undefined;
  });
  afterAll(() => evening?.scenario.close());

  const orderPage = (key: string) => `/r/${evening.restaurantId}/orders/${key}`;

  test('who may not sees who may', async () => {
    const { scenario, restaurantId, viewer, owner } = evening;
    await scenario.database.query(`UPDATE users SET name = 'Rosa Prado' WHERE id = $1`, [owner.id]);
    const window = await look(PHONE, viewer, orderPage(PARKED));
    await window.page.getByText('To send it again, tell one of: Rosa Prado (Owner)').waitFor();
    expect(await window.page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    expect(await window.sound()).toEqual(SOUND);
    await window.goTo(`/r/${restaurantId}/tonight`);
    await window.page.getByText('To send it again, tell one of').waitFor();
  });

  test('where nobody of the restaurant may, how to reach the operator', async () => {
    const { scenario, owner } = evening;
    other = (await scenario.start({ RESEND: 'operators' }, builtConsole())).url;
    const window = await look(PHONE, owner, orderPage(PARKED));
    const contact = window.page.getByRole('link', { name: 'ops@example.com' });
    expect(await contact.getAttribute('href')).toBe('mailto:ops@example.com');
  });

  /** a new restaurant whose orders reach the POS */
  async function opened(code: string) {
    const restaurant = await evening.scenario.restaurant(code);
    const values = [restaurant.id, RESTAURANT.codeStorePos];
    await evening.scenario.database.query('UPDATE restaurants SET code_store_pos = $2 WHERE id = $1', values);
    const parked = async (message: string) => evening.scenario.settle(await restaurant.sell(), 'DLQ', message);
    return { ...restaurant, parked };
  }

  test('in the list: a parked order is sent again, with its number in the name of the button; asked first if the POS may have it', async () => {
    const { scenario, owner, viewer, restaurantId } = evening;
    const window = await look(PHONE, owner, `/r/${restaurantId}/tonight?state=parked`);
    const list = window.page.locator('.order-list');
    const row = list.getByRole('listitem').filter({ hasText: '1012' });
    const button = row.getByRole('button', { name: 'Send again \u20681012\u2069' });
    await button.waitFor();
    if (process.env.SHOT) await window.page.screenshot({ path: `${process.env.SHOT}/list.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await scenario.database.query(
      `UPDATE delivery_attempts SET reach = 'UNKNOWN' FROM outbox_jobs WHERE job_id = outbox_jobs.id AND event_key = $1`,
      [PARKED],
    );
    await button.click();
    const dialog = window.page.getByRole('alertdialog');
    await dialog.getByText(/the POS may have this order/).waitFor();
    await dialog.getByRole('button', { name: 'No, go back' }).click();
    await scenario.database.query(
      `UPDATE delivery_attempts SET reach = 'ANSWERED' FROM outbox_jobs WHERE job_id = outbox_jobs.id AND event_key = $1`,
      [PARKED],
    );
    await button.click();
    await row.waitFor({ state: 'detached' });
    // on a slow machine the order that waits would be due by now, and be sent
    await scenario.database.query(
      `UPDATE outbox_jobs SET next_run_at = now() + interval '10 minutes' WHERE event_key = $1 AND status = 'FAILED'`,
      [WAITING],
    );
    await scenario.relay.tick();
    await window.goTo(`/r/${restaurantId}/tonight?state=waiting`);
    await list
      .getByRole('button', { name: /Try now/ })
      .first()
      .waitFor();
    const other = await look(PHONE, viewer, `/r/${restaurantId}/tonight?state=parked`);
    await other.page.locator('.order-list').getByRole('listitem').first().waitFor();
    expect(await other.page.locator('.order-list').getByRole('button').count()).toBe(0);
  });

  test('Tonight: while the POS fails, the oldest waiting order is tried now, beside its countdown', async () => {
    const { scenario } = evening;
    const { id, owner, sell } = await opened('TRY-NOW');
    const [oldest, next] = [await sell(), await sell()];
    const { body } = await scenario.api
      .get(`/restaurants/${id}/orders/${await scenario.keyOf(oldest)}`, owner.token)
      .expect(200);
    for (const { integration_code } of body.order.items) pos.addProduct(integration_code);
    for (const job of [oldest, next]) await scenario.settle(job, 'FAILED');
    const { page } = await look(PHONE, owner, `/r/${id}/tonight`);
    await page.locator('.light-countdown').first().waitFor();
    const card = page.locator('.need');
    await card.getByText(/sent automatically/).waitFor();
    await card.getByText('Do not enter them in the till by hand: they would be there twice.').waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/try-now.png` });
    await page.locator('.need').getByRole('button', { name: 'Try now' }).click();
    await page.locator('.need').getByText('It is being sent.').waitFor();
    await scenario.relay.tick();
    expect((await scenario.jobs.get(oldest)).status).toBe('SENT');
    expect((await scenario.jobs.get(next)).status).toBe('FAILED');
  });

  test('an order that waits for a retry is tried now', async () => {
    const { scenario, owner } = evening;
    const window = await look(PHONE, owner, orderPage(WAITING));
    await window.page.getByText('Do not enter it in the till by hand: it would be there twice.').waitFor();
    await window.page.getByText('If you enter it all the same, press “Entered by hand”').waitFor();
    await window.page.getByRole('button', { name: 'Try now' }).click();
    await window.page.getByText('It is being sent.').waitFor();
    await scenario.relay.tick();
    await window.page.getByText(/The POS has this order since/).waitFor();
  });

  test.each([
    ['OWNER', 'en-US', 'The POS refuses partner id and secret: correct them in the set-up.', 1],
    ['MANAGER', 'pt-BR', 'O PDV recusa o parceiro e o segredo: avise um proprietário ou administrador', 0],
  ] as const)(
    'Tonight: what is wrong with the set-up is said to who may change it, with the way there, and to who may not (R67): %s, %s',
    async (role, language, words, links) => {
      const { scenario } = evening;
      const { id, sell } = await opened(`SIGN-IN-${role}`);
      const job = await scenario.settle(await sell(), 'FAILED');
      await scenario.database.query(
        `UPDATE delivery_attempts SET cause = 'sign_in', http_status = 401 WHERE job_id = $1`,
        [job],
      );
      const window = await look({ ...PHONE, language }, await scenario.staff(id, role), `/r/${id}/tonight`);
      const card = window.page.locator('.need');
      await card.getByText(words).waitFor();
      expect(
        await card
          .getByRole('link')
          .filter({ hasText: /set-up|ajustes/ })
          .count(),
      ).toBe(links);
      if (process.env.SHOT) await window.page.screenshot({ path: `${process.env.SHOT}/sign-in-${role}.png` });
      expect(await window.sound()).toEqual(SOUND);
    },
  );

  test('Tonight is not green while a terminal is refused: the orders in the POS are only those that arrived (N20)', async () => {
    const { scenario } = evening;
    const { id, owner, sell } = await opened('REFUSED-KEY');
    for (const job of [await sell(), await sell()]) await scenario.settle(job, 'SENT');
    const window = await look(PHONE, owner, `/r/${id}/tonight`);
    const { page } = window;
    await page.locator('.light-good').waitFor();
    await scenario.database.query(
      `INSERT INTO sender_keys (id, restaurant_id, name, kind, key_id, token_hash, scopes, revoked_at, refused_at, refused_since, refused_count, refused_reason)
       VALUES (gen_random_uuid(), $1, 'Bar', 'TOKEN', 'Aa00Read', repeat('b', 64), '{sales:write}', now(), now(), now(), 3, 'revoked')`,
      [id],
    );
    await window.goTo(`/r/${id}/tonight`);
    await page.locator('.light-bad').waitFor();
    expect(await page.getByTestId('verdict').textContent()).toBe(
      'Sales of a terminal do not arrive; all 2 orders that arrived are in the POS',
    );
    await page
      .locator('.need')
      .getByText(/send again only what nobody has entered in the till by hand/)
      .waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/refused-key.png` });
    expect(await window.sound()).toEqual(SOUND);
  });

  test('Tonight: the number, the age and the sum before all orders of a cause are sent again; those of another cause stay', async () => {
    const { scenario } = evening;
    const { id, owner, parked } = await opened('SEND-CAUSE');
    const [first, second] = [await parked('unknown product X1'), await parked('unknown product X2')];
    const other = await parked('the kitchen is closed');
    const { page } = await look(PHONE, owner, `/r/${id}/tonight`);
    const card = page.locator('.need', { hasText: 'the POS does not know a product' });
    await card.getByRole('button', { name: 'Send 2 again' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(/^2 orders, .* in all\. The oldest is from /).waitFor();
    await dialog.getByRole('button', { name: 'Send 2 again' }).click();
    await dialog.waitFor({ state: 'detached' });
    await card.waitFor({ state: 'detached' });
    const statuses = await Promise.all(
      [first, second, other].map(async (job) => (await scenario.jobs.get(job)).status),
    );
    expect(statuses).toEqual(['PENDING', 'PENDING', 'DLQ']);
  });

  test('an order that the POS refused for its product: a MANAGER opens it from Tonight, chooses what the POS calls it from the catalogue, and presses once; the others with it follow, and the next sale; the audit says who (I8, I15)', async () => {
    const { scenario } = evening;
    const { id, owner, sell } = await opened('MAP-ONCE');
    const catalogue = 'code;name;price\nPZ-01;Calabresa, pizza;79,80\nPZ-02;Margherita;70';
    await scenario.api.put(`/restaurants/${id}/catalogue`, owner.token).type('text/csv').send(catalogue).expect(200);
    const manager = await scenario.staff(id, 'MANAGER');
    const items = [{ itemCode: 'TERMINAL-7', itemName: 'Pizza Calabresa', quantity: 1, price: 79.8 }];
    const jobs = [await sell({ items }), await sell({ items }), await sell({ items })];
    await scenario.relay.tick();
    const statuses = () => Promise.all(jobs.map(async (job) => (await scenario.jobs.get(job)).status));
    expect(await statuses()).toEqual(['DLQ', 'DLQ', 'DLQ']);
    const window = await look(PHONE, manager, `/r/${id}/tonight`);
    const { page } = window;
    await page.locator('.need').getByRole('link', { name: 'Set the code' }).first().click();
    // the first word of the product's name is looked for
    await page.getByRole('combobox', { name: 'Pizza Calabresa (TERMINAL-7)' }).focus();
    await page.getByRole('option', { name: /^PZ-01/ }).click();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/map.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await page.getByRole('button', { name: 'Keep and send again' }).click();
    await page.getByRole('button', { name: 'Send these 2 again, too' }).click();
    await page.getByText('They are sent again now.').waitFor();
    expect(await statuses()).toEqual(['PENDING', 'PENDING', 'PENDING']);
    jobs.push(await sell({ items }));
    await scenario.relay.tick();
    expect(await statuses()).toEqual(['SENT', 'SENT', 'SENT', 'SENT']);
    const { body } = await scenario.api.get(`/restaurants/${id}/audit?action=order.mapped`, owner.token).expect(200);
    expect(body.data).toMatchObject([{ actorEmail: manager.email }]);
  });

  test('Tonight: three causes are three cards on the first screen of a phone, each with what helps and nothing that cannot, as its row and its page (R67); one is entered by hand', async () => {
    const { scenario } = evening;
    const { id, owner, parked } = await opened('THREE-CAUSES');
    await parked('unknown product NH-09');
    await parked('cod_store 7O01 is unknown');
    const unmappable = await parked('items');
    const error = 'cannot be mapped: items[0].price: must be a finite number';
    await scenario.database.query(
      `UPDATE outbox_jobs SET cause = 'unmappable', subject = NULL, last_error = $2 WHERE id = $1`,
      [unmappable, error],
    );
    const window = await look(PHONE, owner, `/r/${id}/tonight`);
    const { page } = window;
    await page.getByTestId('verdict').getByText('3 orders are not in the POS, for 3 reasons').waitFor();
    const card = (text: string) => page.locator('.need', { hasText: text });
    const [product, store, sale] = [
      card('the POS does not know a product'),
      card('the POS does not know the store code'),
      card('a part of the sale is missing or wrong'),
    ];
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/causes.png` });
    const tabs = await page.locator('nav').last().boundingBox();
    for (const each of [product, store, sale]) {
      const { y, height } = (await each.boundingBox()) ?? { y: HEIGHT_PX, height: HEIGHT_PX };
      expect(y + height).toBeLessThanOrEqual(tabs?.y ?? 0);
    }
    const buttons = (of: typeof product) => of.getByRole('button').allTextContents();
    const [send, entered] = [expect.stringMatching(/^Send again/), expect.stringMatching(/^Entered by hand/)];
    expect([await buttons(product), await buttons(store), await buttons(sale)]).toEqual([
      [send, entered],
      [send],
      [entered],
    ]);
    await store.getByRole('link', { name: 'Check the set-up' }).waitFor();
    const mapping = product.getByRole('link', { name: 'Set the code' });
    expect(await mapping.getAttribute('href')).toBe(await product.locator('.need-order').getAttribute('href'));
    expect(await window.sound()).toEqual(SOUND);
    const rows = page.locator('.order-list').getByRole('listitem');
    const row = (text: string) => rows.filter({ hasText: text });
    const [unknownProduct, unknownStore, noSale] = [row('NH-09'), row('7O01'), row('items[0].price')];
    expect([await buttons(unknownProduct), await buttons(unknownStore), await buttons(noSale)]).toEqual([
      [send, entered],
      [send],
      [entered],
    ]);
    const said = noSale.locator('.order-why');
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/rows.png`, fullPage: true });
    await said.click();
    await page.getByRole('heading', { name: 'What this means' }).waitFor();
    await page.getByRole('button', { name: 'Entered by hand' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    await window.goTo(`/r/${id}/tonight`);
    const entering = '**/entered?*';
    const refuse = await holdBack(page, entering, refused(409, 'ORDER_STATE'));
    const enter = async () => {
      await sale.getByRole('button', { name: 'Entered by hand' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Entered by hand' }).click();
    };
    await enter();
    // before the relay has answered (N46)
    await sale.getByText('Recorded.').waitFor();
    expect(await sale.getByRole('button', { name: 'Entered by hand' }).count()).toBe(0);
    refuse();
    await sale.getByText('refused', { exact: true }).waitFor();
    expect(await sale.getByText('Recorded.').count()).toBe(0);
    await page.unroute(entering);
    await enter();
    await sale.waitFor({ state: 'detached' });
    await page.getByTestId('verdict').getByText('2 orders are not in the POS, for 2 reasons').waitFor();
    const path = `/restaurants/${id}/orders/${await scenario.keyOf(unmappable)}`;
    const { body } = await scenario.api.get(path, owner.token).expect(200);
    expect(body).toMatchObject({ state: 'resolved', enteredBy: expect.any(String) });
  });

  test('the product is entered in the POS, one press, and the order is in the POS; the audit says who', async () => {
    const { scenario, owner, restaurantId } = evening;
    const window = await look(PHONE, owner, orderPage(PARKED));
    const { page } = window;
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/order.png` });
    expect(await window.sound()).toEqual(SOUND);
    const { body } = await scenario.api.get(`/restaurants/${restaurantId}/orders/${PARKED}`, owner.token).expect(200);
    for (const { integration_code } of body.order.items) pos.addProduct(integration_code);
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('It is being sent.').waitFor();
    await scenario.relay.tick();
    await page.getByText(/The POS has this order since/).waitFor();
    expect(pos.orders.get(PARKED)?.cooked).toBe(1);
    await window.goTo(`/r/${restaurantId}/audit?action=order.resent`);
    await page.locator('tbody').getByText(owner.email).first().waitFor();
  });

  test('an operator finds an order of any restaurant: the page names the restaurant and has the ids; with RESEND=off it only reads (R37)', async () => {
    const { administrator, scenario, restaurantId } = evening;
    other = (await scenario.start({ RESEND: 'off' }, builtConsole())).url;
    const window = await look(PHONE, administrator, `/operators?q=${PARKED}`);
    await window.page
      .getByRole('link', { name: /^\d+$|SALE/ })
      .first()
      .click();
    await window.page.getByText(/The audit of the restaurant shows/).waitFor();
    expect(await window.sound()).toEqual(SOUND);
    expect(await window.page.getByRole('button', { name: /again|Try now|Cancel this/ }).count()).toBe(0);
    const entries = await scenario.database.query(
      `SELECT FROM audit_entries WHERE action = 'order.read_by_operator' AND restaurant_id = $1`,
      [restaurantId],
    );
    expect(entries.length).toBeGreaterThan(0);
    await window.page.locator('.facts').getByText(RESTAURANT.name).waitFor();
    const [job] = await scenario.database.query('SELECT id FROM outbox_jobs WHERE event_key = $1', [PARKED]);
    for (const id of [job?.id, restaurantId])
      await window.page
        .locator('.copyable', { hasText: String(id) })
        .first()
        .waitFor();
  });

  test('an operator sends a parked order again where RESEND allows it; asked first if the POS may have it (R9, R37)', async () => {
    const { administrator, scenario } = evening;
    const { id, owner, parked } = await opened('OPERATOR-SENDS');
    const [job, erased] = [await parked('the kitchen is closed'), await parked('items')];
    await scenario.database.query(`UPDATE delivery_attempts SET reach = 'UNKNOWN' WHERE job_id = $1`, [job]);
    const address = async (of: string) =>
      `/operators/order?of=${id}&key=${encodeURIComponent(await scenario.keyOf(of))}`;
    const window = await look(PHONE, administrator, await address(job));
    const { page } = window;
    await page.getByRole('button', { name: 'Send again' }).waitFor();
    const steps = await page.locator('.remedies li').allTextContents();
    expect(steps[0]).toBe('Look in the till, or have the restaurant look: the order may be there.');
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/operator-order.png`, fullPage: true });
    await page.getByRole('button', { name: 'Send again' }).click();
    expect(await window.sound()).toEqual(SOUND);
    await page
      .getByRole('alertdialog')
      .getByText(/the POS may have this order/)
      .waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('It is being sent.').waitFor();
    expect((await scenario.jobs.get(job)).status).toBe('PENDING');
    const audit = await scenario.api.get(`/restaurants/${id}/audit?action=jobs.reset`, owner.token).expect(200);
    expect(audit.body.data).toMatchObject([{ actorEmail: administrator.email, details: { reset: 1, byIds: true } }]);
    await scenario.api
      .post(`/restaurants/${id}/orders/${await scenario.keyOf(erased)}/erase`, owner.token, {})
      .expect(200);
    await window.goTo(await address(erased));
    await page.getByText(/Its content was erased/).waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  });
});
