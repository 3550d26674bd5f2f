import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';

/** Changes of the victim's link to the attackers' restaurant. */
const STEPS = ['link as VIEWER', 'link as OWNER', 'make OWNER', 'make VIEWER', 'transfer', 'remove', 'accept'] as const;
type Step = (typeof STEPS)[number];

describe('W11, W32: a link made by others takes no sale away until its holder accepts it', () => {
  const scenario = Scenario.ofSuite();

  /** A user whose restaurant has no code yet, and attackers who have created one with the code that her terminal sends. */
  async function scene() {
    const { id: own, owner: victim } = await scenario.restaurant(null);
    const attackers = [await scenario.person(), await scenario.person()] as const;
    const code = `S-${randomUUID()}`;
    const { body } = await scenario.api
      .post('/restaurants', attackers[0].token, { name: 'Trattoria', codeStoreTerminal: code })
      .expect(201);
    const foreign: string = body.data.id;
    await scenario.people.link(attackers[1].id, foreign, 'OWNER');
    return { own, foreign, victim, attackers, code };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  const call: Record<Step, (scene: Scene, by: Caller) => Promise<{ status: number }>> = {
    'link as VIEWER': async ({ foreign, victim }, by) => link(foreign, victim, 'VIEWER', by),
    'link as OWNER': async ({ foreign, victim }, by) => link(foreign, victim, 'OWNER', by),
    'make OWNER': async ({ foreign, victim }, by) => changeRole(foreign, victim, 'OWNER', by),
    'make VIEWER': async ({ foreign, victim }, by) => changeRole(foreign, victim, 'VIEWER', by),
    transfer: async ({ foreign, victim }, by) =>
      scenario.api.post(`/restaurants/${foreign}/transfer-ownership`, by.token, { newOwnerId: victim.id }),
    remove: async ({ foreign, victim }, by) =>
      scenario.api.delete(`/restaurants/${foreign}/users/${victim.id}`, by.token),
    accept: async ({ foreign, victim }) => accept(victim, foreign),
  };
  const link = (id: string, { id: userId }: Caller, role: string, by: Caller) =>
    scenario.api.post(`/restaurants/${id}/users`, by.token, { userId, role });
  const changeRole = (id: string, { id: userId }: Caller, role: string, by: Caller) =>
    scenario.api.patch(`/restaurants/${id}/users/${userId}/role`, by.token, { role });
  const accept = ({ token }: Caller, id: string) => scenario.api.post(`/users/me/restaurants/${id}/accept`, token);

  /** @returns the restaurant of the stored sale, or the error code */
  async function soldTo(by: Caller, fields: object): Promise<string> {
    const transaction = { ...sale({ storeCode: undefined }), ...fields };
    const { body } = await scenario.api.post('/webhooks/terminal', by.token, transaction);
    return body.jobId ? restaurantOf(body.jobId) : body.code;
  }

  async function restaurantOf(jobId: string): Promise<string> {
    const sql = 'SELECT restaurant_id AS id FROM outbox_jobs WHERE id = $1';
    const [job] = await scenario.database.query<{ id: string }>(sql, [jobId]);
    return String(job?.id);
  }

  const mine = async ({ token }: Caller) =>
    (await scenario.api.get('/users/me/restaurants', token).expect(200)).body.restaurants as {
      id: string;
      accepted: boolean;
    }[];

  test('after a link and a transfer by others her sale stays in her own restaurant, by JWT and by password', async () => {
    const { own, foreign, victim, attackers, code } = await scene();
    await link(foreign, victim, 'VIEWER', attackers[0]).expect(201);
    await call.transfer({ own, foreign, victim, attackers, code }, attackers[0]);
    expect((await scenario.people.rolesIn(foreign))[victim.id]).toBe('OWNER');
    for (const fields of [{ storeCode: code }, {}, { storeCode: 'another' }])
      expect(await soldTo(victim, fields)).toBe(own);
    const byPassword = await scenario.relay.http
      .post('/webhooks/terminal')
      .auth(victim.email, victim.password)
      .send(sale({ storeCode: code }))
      .expect(200);
    expect(await restaurantOf(byPassword.body.jobId)).toBe(own);
    expect(await mine(attackers[0])).toMatchObject([{ id: foreign, accepted: true }]);
    expect((await mine(victim)).map(({ id, accepted }) => [id, accepted]).toSorted()).toEqual(
      [
        [own, true],
        [foreign, false],
      ].toSorted(),
    );
  });

  test('until she accepts it, a link made by others serves for its exact restaurantId; then for its storeCode too', async () => {
    const { own, foreign, victim, attackers, code } = await scene();
    await link(foreign, victim, 'OWNER', attackers[0]).expect(201);
    expect(await soldTo(victim, { restaurantId: foreign })).toBe(foreign);
    expect(await soldTo(victim, { storeCode: code })).toBe(own);
    await accept(victim, foreign).expect(200);
    expect(await soldTo(victim, { storeCode: code })).toBe(foreign);
  });

  test('the rule for an only restaurant (W7) counts a transferred one once it is accepted', async () => {
    const { foreign, victim, attackers } = await scene();
    const heir = await scenario.person();
    await scenario.api.patch(`/restaurants/${foreign}`, attackers[0].token, { codeStoreTerminal: null }).expect(200);
    await link(foreign, heir, 'VIEWER', attackers[0]).expect(201);
    await scenario.api
      .post(`/restaurants/${foreign}/transfer-ownership`, attackers[0].token, { newOwnerId: heir.id })
      .expect(200);
    for (const fields of [{ storeCode: 'any' }, {}]) expect(await soldTo(heir, fields)).toBe('UNKNOWN_STORE');
    expect(await soldTo(heir, { restaurantId: foreign })).toBe(foreign);
    await accept(heir, foreign).expect(200);
    expect(await soldTo(heir, { storeCode: 'any' })).toBe(foreign);
    expect(await soldTo(victim, { restaurantId: foreign })).toBe('UNKNOWN_STORE');
  });

  test('in any order of links, role changes, transfers and removals: only what she accepted as OWNER counts', async () => {
    const history = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.constantFrom(0, 1)), {
      minLength: 1,
      maxLength: 7,
    });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const here = await scene();
        let hers: { owner: boolean; own: boolean } | undefined;
        for (const [step, who] of steps) {
          const { status } = await call[step](here, here.attackers[who] as Caller);
          if (status < 300) hers = after(step, hers);
          const isOwn = hers?.owner && hers.own;
          expect(await soldTo(here.victim, { storeCode: here.code })).toBe(isOwn ? here.foreign : here.own);
          expect(await soldTo(here.victim, {})).toBe(isOwn ? 'UNKNOWN_STORE' : here.own);
        }
      }),
      { numRuns: 10, seed: 1 },
    );
  });

  function after(step: Step, hers: { owner: boolean; own: boolean } | undefined) {
    if (step === 'remove') return undefined;
    if (step === 'link as VIEWER' || step === 'link as OWNER') return { owner: step === 'link as OWNER', own: false };
    if (step === 'accept') return { owner: hers?.owner === true, own: true };
    const owner = step !== 'make VIEWER';
    return { owner, own: hers?.own === true && !(owner && !hers.owner) };
  }
});
