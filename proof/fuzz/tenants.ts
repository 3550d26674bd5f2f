import { type Account, ask, call, signIn } from '../relay-api.js';
import type { Person, Tenant, World } from './world.js';

/** Address and credentials of a relay that has a platform administrator and nothing else. */
export interface Access {
  readonly url: string;
  readonly admin: Account;
  readonly terminalToken: string;
  /** further texts that must stand in no answer and no line of the log */
  readonly secrets: readonly string[];
  /** credentials at the POS, one for each tenant */
  readonly posCredentials: readonly { readonly posIdPartner: string; readonly posSecret: string }[];
}

/** The restaurant that sells all the while, over the static token. */
export const CANARY = { name: 'Canary', codeStoreTerminal: 'CANARY', codeStorePos: '9001' };

/** A sale of one item, paid by card. */
export function saleOf(transactionKey: string, storeCode: string, { code, name } = { code: 'PZ-01', name: 'Pizza' }) {
  const items = [{ itemCode: code, itemName: name, quantity: 1, price: 39.9 }];
  return { transactionKey, storeCode, items, payments: [{ tenderType: 16, amount: 39.9 }] };
}

const NAMES = ['alpha', 'beta'];
const SALES = 3;

/** Makes tenants over the API, as anybody would. */
export class Tenants {
  private rounds = 0;

  constructor(private readonly access: Access) {}

  /** @returns the restaurant of the canary, which no request speaks for */
  async canary(): Promise<string> {
    const token = await signIn(this.access.url, this.access.admin);
    return (await this.call('POST', '/restaurants', token, CANARY)).data.id;
  }

  /** New tenants: what the ones before them were sent has perhaps ended them. */
  async renew(): Promise<World> {
    const { admin, terminalToken, secrets, posCredentials } = this.access;
    const round = ++this.rounds;
    const token = await signIn(this.access.url, admin);
    const { id } = await this.call('GET', '/auth/me', token);
    const tenants = [];
    for (const name of NAMES) tenants.push(await this.tenant(name, round, token));
    const passwords = tenants.flatMap(({ owner, clerk }) => [owner.password, clerk.password]);
    return {
      tenants,
      admin: { ...admin, id, token },
      terminalToken,
      secrets: [
        admin.password,
        terminalToken,
        ...passwords,
        ...secrets,
        ...posCredentials.map(({ posSecret }) => posSecret),
      ],
    };
  }

  /** Whether the tenants still stand: their owners are let in. */
  async stand({ tenants, admin }: World): Promise<boolean> {
    for (const { owner, clerk, restaurantId } of tenants)
      for (const { token } of [owner, clerk])
        if ((await this.ask('GET', `/restaurants/${restaurantId}/my-role`, token)).status !== 200) return false;
    return (await this.ask('GET', '/auth/me', admin.token)).status === 200;
  }

  private async tenant(name: string, round: number, adminToken: string): Promise<Tenant> {
    const mark = (what: string) => `zq${name}${round}${what}`;
    const owner = await this.person(mark('owner'), adminToken);
    const [codeStoreTerminal, slug] = [mark('store'), mark('slug')];
    const restaurant = {
      name: `Trattoria ${mark('name')}`,
      slug,
      address: `Via ${mark('street')} 7`,
      codeStoreTerminal,
      codeStorePos: mark('pos'),
      ...this.access.posCredentials[NAMES.indexOf(name)],
    };
    const restaurantId = (await this.call('POST', '/restaurants', owner.token, restaurant)).data.id;
    const clerk = await this.person(mark('clerk'), owner.token, restaurantId);
    const keys = Array.from({ length: SALES }, (_, n) => mark(`key${n}`));
    const jobIds = [];
    for (const transactionKey of keys) {
      const sale = saleOf(transactionKey, codeStoreTerminal, { code: mark('code'), name: `Pizza ${mark('pizza')}` });
      jobIds.push((await this.call('POST', '/webhooks/terminal', owner.token, sale)).jobId);
    }
    const texts = ['owner', 'clerk', 'name', 'street', 'store', 'slug', 'pos', 'code', 'pizza'];
    const ids = [restaurantId, owner.id, clerk.id, ...jobIds];
    return {
      name: `${name}${round}`,
      restaurantId,
      slug,
      storeCode: codeStoreTerminal,
      owner,
      clerk,
      keys,
      jobIds,
      marks: [...texts.map(mark), ...keys, ...ids],
    };
  }

  /** Somebody new: there is no registration, so a restaurant's OWNER makes the account. @param restaurantId to stay in */
  private async person(name: string, token: string, restaurantId?: string): Promise<Person> {
    const password = `${name} has a password`;
    const account = { email: `${name}@example.com`, password, name, role: 'EMPLOYEE' };
    const home = restaurantId ?? (await this.call('POST', '/restaurants', token, { name: 'Registry' })).data.id;
    await this.call('POST', `/restaurants/${home}/users/create-and-link`, token, account);
    const signedIn = await signIn(this.access.url, account);
    const { id } = await this.call('GET', '/auth/me', signedIn);
    if (!restaurantId) await this.call('DELETE', `/restaurants/${home}/users/${id}`, token);
    return { id, email: account.email, password, token: signedIn };
  }

  private call(method: string, path: string, token?: string, body?: object) {
    return call(method, this.access.url + path, token, body);
  }

  private ask(method: string, path: string, token: string) {
    return ask(method, this.access.url + path, token);
  }
}
