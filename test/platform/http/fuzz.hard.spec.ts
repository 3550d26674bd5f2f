import { Campaign } from '../../../proof/fuzz/campaign.js';
import { Canary } from '../../../proof/fuzz/canary.js';
import { Tenants } from '../../../proof/fuzz/tenants.js';
import { ADMIN, EAGER, OWN, PARTNER, TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';

/** `npm run fuzz` sends 100,000 requests to a process, and measures their cost. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 300);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const LIMIT_MS = 120_000 + REQUESTS * 100;

describe('hostile requests', () => {
  const scenario = Scenario.ofSuite({ ...EAGER, ONBOARDING: 'self' });

  test(
    'every answer is in the document, none is a 5xx or shows data of another tenant, and the sales of a restaurant are delivered',
    async () => {
      const { relay, pos } = scenario;
      const { body: document } = await relay.api.get('/docs-json').expect(200);
      const tenants = new Tenants({
        url: relay.url,
        admin: ADMIN,
        terminalToken: TERMINAL_TOKEN,
        secrets: [PARTNER.secret],
        // the POS refuses the credentials of the second tenant
        posCredentials: [OWN, { posIdPartner: 'unknown-partner', posSecret: 'refused-secret-4712' }],
      });
      await tenants.canary();
      const canary = new Canary(relay.url, TERMINAL_TOKEN, pos);
      canary.start(100);
      const campaign = new Campaign(relay.url, document, tenants);
      await campaign.run(SEED, 0, REQUESTS);
      const lost = await canary.finish(60_000);

      expect(campaign.violations.map(({ n, text, request }) => `${SEED}/${n}: ${text}\n${request.bytes}`)).toEqual([]);
      expect(relay.logged.map((line) => campaign.judge.violationInLog(JSON.stringify(line))).filter(Boolean)).toEqual(
        [],
      );
      expect({ lost, refused: canary.refused }).toEqual({ lost: [], refused: [] });
      expect(canary.sold.length).toBeGreaterThan(10);
      // a tenth of the requests was accepted: the others would test the first check only
      const accepted = [...campaign.statuses].filter(([status]) => status >= 200 && status < 300);
      expect(accepted.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(REQUESTS / 10);
    },
    LIMIT_MS,
  );
});
