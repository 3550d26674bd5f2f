import { Scenario } from '../../../support/scenario.js';
import { browserOf, builtConsole, describeInBrowser, NEEDS_BROWSER, SOUND } from './browser.js';

const WORDS = {
  'en-US': {
    headline: 'Sales have stopped; all 2 orders that arrived are in the POS',
    card: /^No sale has come since .+, although there usually are some$/,
    help: /see whether the terminals are on and have a network/,
    setup: 'Check the set-up',
  },
  'pt-BR': {
    headline: 'As vendas pararam; todos os 2 pedidos que chegaram estão no PDV',
    card: /^Nenhuma venda chegou desde .+, embora costume haver vendas$/,
    help: /veja se os terminais estão ligados e com rede/,
    setup: 'Verificar os ajustes',
  },
} as const;

describeInBrowser(`a restaurant whose sales have stopped, in a browser${NEEDS_BROWSER}`, () => {
  let scenario: Scenario;

  beforeAll(async () => {
    scenario = await Scenario.open({}, { consoleFolder: builtConsole() });
  });
  afterAll(() => scenario?.close());
  const look = browserOf(() => scenario.relay.url);

  test.each(['en-US', 'pt-BR'] as const)(
    'Tonight is amber, says since when, and what to do; the next sale ends it; %s (G59, N20)',
    async (language) => {
      const words = WORDS[language];
      const { id, owner, sell } = await scenario.store();
      for (const job of [await sell(), await sell()]) await scenario.settle(job, 'SENT');
      await scenario.database.query(
        'INSERT INTO sale_rhythms (restaurant_id, counted_until, silent_since) VALUES ($1::uuid, now(), now())',
        [id],
      );
      const window = await look({ width: 390, height: 844, language }, owner, `/r/${id}/tonight`);
      const { page } = window;
      await page.locator('.light-wait').waitFor();
      expect(await page.getByTestId('verdict').textContent()).toBe(words.headline);
      const card = page.locator('.need');
      expect(await card.locator('.need-title').textContent()).toMatch(words.card);
      await card.getByText(words.help).waitFor();
      await card.getByRole('link', { name: words.setup }).waitFor();
      if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/silent-${language}.png` });
      expect(await window.sound()).toEqual(SOUND);
      await scenario.settle(await sell(), 'SENT');
      await window.goTo(`/r/${id}/tonight`);
      await page.locator('.light-good').waitFor();
      expect(await card.count()).toBe(0);
    },
  );
});
