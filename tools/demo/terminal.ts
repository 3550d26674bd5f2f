import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Method, RESTAURANT } from './evening.js';

const ANSWER_LIMIT_MS = 15_000;
/** The pauses before the repeats of a sale, in ms. */
const PAUSES_MS = [1_000, 2_000, 4_000];

/** An answer of the relay. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A sender key of kind SIGNING. */
export interface SigningKey {
  readonly keyId: string;
  readonly secret: string;
}

export interface Login {
  readonly email: string;
  readonly password: string;
}

/** The payment terminal: sends transactions to the relay, authenticated in one of five ways. */
export class Terminal {
  private constructor(
    readonly relayUrl: string,
    private readonly login: Login,
    private readonly staticToken: string,
    private readonly jwt: string,
    readonly restaurantId: string,
    readonly key: SigningKey,
  ) {}

  /** Signs in as the administrator, and creates the restaurant and its key through the management API. */
  static async install(
    relayUrl: string,
    login: Login,
    staticToken: string,
    { posIdPartner, posSecret }: { readonly posIdPartner: string; readonly posSecret: string },
  ): Promise<Terminal> {
    const { access_token } = expectStatus(200, await post(`${relayUrl}/auth/login`, {}, login));
    const authorization = `Bearer ${access_token}`;
    const created = await post(
      `${relayUrl}/restaurants`,
      { authorization },
      { ...RESTAURANT, posIdPartner, posSecret },
    );
    const { id } = expectStatus(201, created).data as { id: string };
    const made = await post(
      `${relayUrl}/restaurants/${id}/sender-keys`,
      { authorization },
      { name: 'Terminals', kind: 'SIGNING' },
    );
    const key = expectStatus(201, made).data as SigningKey;
    return new Terminal(relayUrl, login, staticToken, String(access_token), id, key);
  }

  /** A call of the management API as the administrator. @throws when the relay refuses it */
  async call(method: 'POST' | 'GET', path: string, body?: object): Promise<Answer> {
    const authorization = `Bearer ${this.jwt}`;
    const answer = await request(method, `${this.relayUrl}${path}`, { authorization }, body && JSON.stringify(body));
    if (answer.status < 300) return answer;
    throw new Error(`the relay answered ${answer.status} to ${path}: ${JSON.stringify(answer.body)}`);
  }

  /** Sends a sale, and repeats it with the same body while the relay answers 503, as a terminal does. */
  async send(transaction: Readonly<Record<string, unknown>>, by: Method): Promise<Answer> {
    const { email, password } = this.login;
    const body = JSON.stringify(by === 'body' ? { ...transaction, email, password } : transaction);
    for (const pause of PAUSES_MS) {
      const answer = await this.sendOnce(body, String(transaction.transactionKey), by);
      if (answer.status !== 503) return answer;
      await delay(pause);
    }
    return this.sendOnce(body, String(transaction.transactionKey), by);
  }

  private sendOnce(body: string, id: string, by: Method): Promise<Answer> {
    const url = `${this.relayUrl}/webhooks/terminal`;
    if (by === 'signed') return request('POST', `${url}/${this.key.keyId}`, signatureOf(this.key, id, body), body);
    const { email, password } = this.login;
    const basic = Buffer.from(`${email}:${password}`).toString('base64');
    const headers: Record<Exclude<Method, 'signed'>, Record<string, string>> = {
      token: { authorization: `Bearer ${this.staticToken}` },
      jwt: { authorization: `Bearer ${this.jwt}` },
      basic: { authorization: `Basic ${basic}` },
      body: {},
    };
    return request('POST', url, headers[by], body);
  }
}

/** The headers of a request that is sent now, by Standard Webhooks. */
function signatureOf({ secret }: SigningKey, id: string, body: string): Record<string, string> {
  const now = String(Math.floor(Date.now() / 1_000));
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', bytes).update(`${id}.${now}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': now, 'webhook-signature': `v1,${signature}` };
}

const post = (url: string, headers: Record<string, string>, body: unknown) =>
  request('POST', url, headers, JSON.stringify(body));

async function request(method: string, url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

function expectStatus(expected: number, { status, body }: Answer): Answer['body'] {
  if (status === expected) return body;
  throw new Error(`the relay answered ${status} instead of ${expected}: ${JSON.stringify(body)}`);
}
