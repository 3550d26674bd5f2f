import { CatalogueRows } from '../../../src/capabilities/codes/catalogue-rows.js';
import { FileQueue } from '../../../src/platform/files/file-queue.js';
import { OldRows } from '../../../src/platform/schedule/old-rows.js';
import { type Caller, Scenario } from '../../support/scenario.js';

const FILE = 'code;name;price\nP-1;Espresso;9,50\nP-2;Água com gás;\nP-3;Café da manhã;1.234,00\n';

describe('the catalogue of a POS', () => {
  const scenario = Scenario.ofSuite();
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;
  let stores = 0;

  beforeEach(async () => {
    ({ id, owner, sell } = await scenario.restaurant(`CATALOGUE-${++stores}`));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });

  const path = (query = '') => `/restaurants/${id}/catalogue${query}`;
  const put = (file: string | Buffer, query = '', { token } = owner) =>
    scenario.api.put(path(query), token).type('text/csv').send(file);
  const replaced = async (file: string | Buffer, query = '') => (await put(file, query).expect(200)).body.data;
  const get = async (query = '', { token } = owner) => (await scenario.api.get(path(query), token).expect(200)).body;
  const codes = async (query = '') => (await get(query)).data.map(({ code }: { code: string }) => code);
  const entries = async (action: string) =>
    (await scenario.api.get(`/restaurants/${id}/audit?action=${action}`, owner.token).expect(200)).body.data;
  const rows = () =>
    scenario.database.query(
      `SELECT code FROM pos_catalogue JOIN pos_catalogues ON id = catalogue_id WHERE restaurant_id = $1 ORDER BY code`,
      [id],
    );
  const csv = (count: number, name = 'Dish') =>
    `code,name,price\n${Array.from({ length: count }, (_, n) => `C-${n},${name} ${n},1.00`).join('\n')}\n`;

  test('a file replaces it whole, says what it has changed, and is audited without content; one that changes nothing is not (I13, I14)', async () => {
    expect(await replaced(FILE)).toEqual({
      ...{ replaced: true, columns: { code: 'code', name: 'name', price: 'price' }, headerLine: 1 },
      ...{ delimiter: ';', encoding: 'utf-8', count: 3, added: 3, changed: 0, removed: 0, duplicates: 0 },
      ...{ unreadable: 0, problems: [] },
      rows: [
        { code: 'P-1', name: 'Espresso', priceCents: 950 },
        { code: 'P-2', name: 'Água com gás', priceCents: null },
        { code: 'P-3', name: 'Café da manhã', priceCents: 123_400 },
      ],
    });
    const { data, meta } = await get();
    expect(data).toEqual((await replaced(FILE, '?preview=true')).rows);
    expect(meta).toEqual({
      ...{ limit: 20, next: null, count: 3 },
      ...{ replacedAt: expect.stringMatching(/^\d{4}-.*Z$/), replacedBy: expect.any(String) },
    });
    const again = await put(FILE).expect(200);
    expect(again.body).toMatchObject({
      message: 'the catalogue has these products already',
      data: { replaced: false, added: 0, changed: 0, removed: 0 },
    });
    const other = 'code;name;price\nP-1;Espresso;9,80\nP-9;Bolo;7\n';
    expect(await replaced(other, '?preview=true')).toMatchObject({ replaced: false, added: 1, changed: 1, removed: 2 });
    expect(await codes()).toEqual(['P-1', 'P-2', 'P-3']);
    expect(await replaced(other)).toMatchObject({ replaced: true, count: 2, added: 1, changed: 1, removed: 2 });
    expect(await codes()).toEqual(['P-1', 'P-9']);
    expect(await rows()).toEqual([{ code: 'P-1' }, { code: 'P-9' }]);
    expect((await entries('catalogue.replaced')).map(({ details }: { details: object }) => details)).toEqual([
      { products: 2, added: 1, changed: 1, removed: 2 },
      { products: 3, added: 3, changed: 0, removed: 0 },
    ]);
    await scenario.api.delete(path(), owner.token).expect(200);
    await scenario.api.delete(path(), owner.token).expect(404);
    expect(await get()).toEqual({
      data: [],
      meta: { limit: 20, next: null, count: 0, replacedAt: null, replacedBy: null },
    });
    expect(await rows()).toEqual([]);
    expect(await entries('catalogue.removed')).toMatchObject([{ details: { products: 2 } }]);
  });

  test.each<[what: string, file: string | Buffer, expected: object]>([
    [
      'English',
      'SKU,Product name,Unit price\n1,A,1.00\n',
      { columns: { code: 'SKU', name: 'Product name', price: 'Unit price' } },
    ],
    ['Portuguese', 'Descrição;Preço de venda;Código PDV\nA;1,00;1\n', { columns: { code: 'Código PDV' } }],
    ['Spanish', 'Código;Nombre;Precio\n1;A;1,00\n', { columns: { name: 'Nombre' } }],
    ['German', 'Artikel-Nr.;Bezeichnung;VK-Preis\n1;A;1,00\n', { columns: { code: 'Artikel-Nr.', price: 'VK-Preis' } }],
    ['French', 'Code article;Libellé;Prix TTC\n1;A;1,00\n', { columns: { name: 'Libellé' } }],
    ['Italian', 'Codice;Descrizione;Prezzo\n1;A;1,00\n', { columns: { code: 'Codice' } }],
    ['a code beside a barcode', 'EAN;code;name\n789;1;A\n', { columns: { code: 'code', price: null } }],
    ['a barcode alone', 'EAN;name\n789;A\n', { columns: { code: 'EAN' } }],
    ['names in line 3', 'Products of today\n\ncode;name\n1;A\n', { headerLine: 3 }],
    [
      'windows-1252',
      Buffer.from('código;descrição\n1;Pão\n', 'latin1'),
      { encoding: 'windows-1252', rows: [{ code: '1', name: 'Pão', priceCents: null }] },
    ],
    ['UTF-16', Buffer.from('\ufeffcode\tname\n1\tA\n', 'utf16le'), { encoding: 'utf-16le', delimiter: '\t' }],
    ['equal rows', 'code,name,price\n1,A,1.00\n1,A,1\n', { count: 1, duplicates: 1 }],
    ['a name that is empty', 'code,name\n1,\n', { rows: [{ code: '1', name: null, priceCents: null }] }],
    [
      'currency and groups',
      'code;name;price\n1;A;R$ 1.234,50\n',
      { rows: [{ code: '1', name: 'A', priceCents: 123_450 }] },
    ],
    [
      'a formula of a spreadsheet',
      'code,name\n"=""0012""",A\n',
      { rows: [{ code: '0012', name: 'A', priceCents: null }] },
    ],
  ])('%s: read (I14)', async (_, file, expected) => {
    expect(await replaced(file, '?preview=true')).toMatchObject({ count: 1, unreadable: 0, ...expected });
  });

  test('a file with rows that cannot be read changes nothing; the preview and the refusal name line, column and reason (I14, L238)', async () => {
    await replaced(FILE);
    const file = `code,name,price\nA,Good,1.00\n,No code,1.00\nB,Bad,abc\nC,Less,-1\nA,Other,2.00\n${'x'.repeat(256)},Long,1\nD,a\u202eb,1\n`;
    const lines = [
      'line 3, code: is empty',
      'line 4, price: "abc" is no amount',
      'line 5, price: "-1" is below zero',
      'line 6, code: stands in line 2 too, with another name or price',
      'line 7, code: has more than 255 characters',
      'line 8, name: has characters that are invisible',
    ];
    const preview = await replaced(file, '?preview=true');
    expect(preview).toMatchObject({ count: 1, unreadable: 6, added: 1, removed: 3 });
    expect(preview.problems[1]).toEqual({ line: 4, column: 'price', reason: '"abc" is no amount' });
    const refused = await put(file).expect(400);
    expect([refused.body.code, refused.body.message]).toEqual(['VALIDATION_FAILED', lines]);
    expect(await codes()).toEqual(['P-1', 'P-2', 'P-3']);
    const many = `code,name\n${'\t,x\n'.repeat(60)}`;
    const { body } = await put(many).expect(400);
    expect([body.message.length, body.message.at(-1)]).toEqual([20, 'and 41 more']);
    expect((await replaced(many, '?preview=true')).problems).toHaveLength(50);
  });

  test.each<[what: string, file: () => string | Buffer, reason: string]>([
    ['without a column of codes', () => 'a;b\n1;2\n', 'no columns of code and name'],
    ['without rows', () => 'code;name\n', 'line 1: no row follows'],
    ['an empty file', () => ' ', 'the file is empty'],
    ['a NUL', () => 'code;name\n1;a\0\n', 'line 2: has a NUL character'],
    ['20,001 rows', () => csv(20_001), 'the file has more than 20000 rows'],
    ['far more rows', () => csv(60_000), 'the file has more than 20000 rows'],
  ])('%s: refused whole (I14, L237)', async (_, file, reason) => {
    const { body } = await put(file()).expect(422);
    expect([body.code, body.message]).toEqual(['FILE_REFUSED', expect.stringContaining(reason)]);
    expect(await rows()).toEqual([]);
  });

  test('20,000 products are replaced by others, in pieces (I13, L237, L239)', async () => {
    expect(await replaced(csv(20_000))).toMatchObject({ count: 20_000, added: 20_000 });
    expect(await replaced(csv(20_000, 'Plate'))).toMatchObject({ added: 0, changed: 20_000, removed: 0 });
    expect((await get()).meta).toMatchObject({ count: 20_000 });
    expect(await rows()).toHaveLength(20_000);
    expect(await codes('?search=c-1999&limit=100')).toHaveLength(11);
    expect(await codes('?search=plate%2019999')).toEqual(['C-19999']);
  });

  test('a search finds the beginning of a code and of words, without case and accents, page by page (I15)', async () => {
    await replaced('code;name\nCAF-1;Café com leite\nX/2;CAFÉ Gelado\n3;Leite\n4;Ελληνικός καφές\n5;50% off\n');
    expect(await codes('?search=caf')).toEqual(['CAF-1', 'X/2']);
    expect(await codes('?search=CAF-1')).toEqual(['CAF-1']);
    expect(await codes('?search=caf%C3%A9%20LEI')).toEqual(['CAF-1']);
    expect(await codes('?search=x%2F')).toEqual(['X/2']);
    expect(await codes(`?search=${encodeURIComponent('ΕΛΛΗΝΙΚΟΣ')}`)).toEqual(['4']);
    expect(await codes('?search=%25')).toEqual([]);
    expect(await codes('?search=eite')).toEqual([]);
    expect(await codes(`?search=${'caf%20'.repeat(10)}nothing`)).toEqual(['CAF-1', 'X/2']);
    expect(await codes('?search=50%25')).toEqual(['5']);
    const { data, meta } = await get('?limit=2');
    expect([data.length, meta.next]).toEqual([2, '4']);
    expect((await get(`?limit=3&after=${meta.next}`)).data.map(({ code }: { code: string }) => code)).toEqual([
      ...['5', 'CAF-1', 'X/2'],
    ]);
    await scenario.api.get(path('?limit=101'), owner.token).expect(400);
    await scenario.api.get(path(`?search=${'x'.repeat(256)}`), owner.token).expect(400);
  });

  test('of two that replace it at once the second is told, and nothing of it is left (I13)', async () => {
    const rowsOf = scenario.relay.get(CatalogueRows);
    jest.spyOn(rowsOf, 'compare').mockImplementationOnce(async () => {
      await scenario.database.query(`UPDATE restaurants SET catalogue_id = 2147483647 WHERE id = $1`, [id]);
      return { added: 3, changed: 0, removed: 0 };
    });
    const { body } = await put(FILE).expect(409);
    expect(body.code).toBe('CATALOGUE_CHANGED');
    expect(await rows()).toEqual([]);
  });

  test('what was interrupted is removed an hour later, and what counts stays (I13)', async () => {
    await replaced(FILE);
    await scenario.database.query(
      `WITH begun AS (INSERT INTO pos_catalogues (restaurant_id, products, code_digests) VALUES ($1, 1, '') RETURNING id)
       INSERT INTO pos_catalogue (catalogue_id, code, search) SELECT id, 'LOST', '' FROM begun`,
      [id],
    );
    await scenario.relay.get(OldRows).remove();
    expect(await rows()).toHaveLength(4);
    await scenario.database.query(`UPDATE pos_catalogues SET begun_at = now() - interval '61 minutes'`);
    await scenario.relay.get(OldRows).remove();
    expect(await rows()).toEqual([{ code: 'P-1' }, { code: 'P-2' }, { code: 'P-3' }]);
  });

  test('the deletion of a restaurant removes it, also by SQL (I13)', async () => {
    await replaced(FILE);
    await scenario.database.query(`UPDATE restaurants SET deleted_at = now() WHERE id = $1`, [id]);
    expect(await rows()).toEqual([]);
    expect(await scenario.database.query(`SELECT 1 FROM pos_catalogues WHERE restaurant_id = $1`, [id])).toEqual([]);
  });

  test("a file takes its turn with terminals' files, one of a user at a time (I14, J16)", async () => {
    let free = () => {};
    const occupied = new Promise<void>((resolve) => {
      free = resolve;
    });
    const queue = scenario.relay.get(FileQueue);
    const other = queue.run({ restaurantId: id }, new AbortController().signal, () => occupied);
    const first = put(FILE).then(({ status }) => status);
    while (queue.size === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await put(FILE)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_UPLOADS' } });
    free();
    await other;
    expect(await first).toBe(200);
  });

  test.each([
    ['VIEWER', 403, 403],
    ['EMPLOYEE', 403, 403],
    ['MANAGER', 200, 403],
    ['ADMIN', 200, 200],
  ] as const)('%s: searches it %i, replaces it %i (I15)', async (role, reads, writes) => {
    const caller = await scenario.staff(id, role);
    expect((await scenario.api.get(path(), caller.token)).status).toBe(reads);
    expect((await put(FILE, '', caller)).status).toBe(writes);
    expect((await scenario.api.delete(path(), caller.token)).status).toBe(writes);
  });

  test('orders that wait when their code leaves the catalogue are sent as ever (I18)', async () => {
    await replaced('code;name\nA;Coffee\n');
    const job = await sell({ items: [{ itemCode: 'A', itemName: 'Coffee', quantity: 1, price: 10 }] });
    const warnings = () =>
      scenario.database.query(`SELECT warnings FROM terminal_events WHERE restaurant_id = $1`, [id]);
    const before = await warnings();
    await replaced('code;name\nB;Tea\n');
    await scenario.settle(job, 'SENT');
    expect(scenario.pos.orders.get(await scenario.keyOf(job))?.order).toMatchObject({
      items: [{ integration_code: 'A' }],
    });
    expect(await warnings()).toEqual(before);
  });
});
