import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Method, RESTAURANT } from './evening.js';

const ANSWER_LIMIT_MS = 15_000;
/** The pauses before the repeats of a sale, in ms. `Retry-After` may ask for more, up to the limit. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
const RETRY_AFTER_LIMIT_MS = 60_000;

/** An answer of the relay. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** what the relay asks to wait before a repeat, in ms; absent or 0: nothing */
  readonly retryAfterMs?: number;
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
    /** the token of the key with which the terminal asks for receipts */
    readonly receiptsToken: string,
    private readonly pause: (ms: number) => Promise<unknown>,
  ) {}

  /**
   * Signs in as the administrator, and creates the restaurant and its keys through the management API: one that signs sales, and one whose token asks
   * for receipts.
   * @param pause waits before a repeat
   */
  static async install(
    relayUrl: string,
    login: Login,
    staticToken: string,
    { posIdPartner, posSecret }: { readonly posIdPartner: string; readonly posSecret: string },
    pause: (ms: number) => Promise<unknown> = delay,
  ): Promise<Terminal> {
    const { access_token } = expectStatus(200, await post(`${relayUrl}/auth/login`, {}, login));
    const authorization = `Bearer ${access_token}`;
    const created = await post(
      `${relayUrl}/restaurants`,
      { authorization },
      { ...RESTAURANT, posIdPartner, posSecret },
    );
    const { id } = expectStatus(201, created).data as { id: string };
    const make = async (wanted: object) =>
      expectStatus(201, await post(`${relayUrl}/restaurants/${id}/sender-keys`, { authorization }, wanted)).data;
    const scopes = ['sales:write', 'receipts:read'];
    const key = (await make({ name: 'Terminals', kind: 'SIGNING', scopes })) as SigningKey;
    const { token } = (await make({ name: 'Receipts', kind: 'TOKEN', scopes: ['receipts:read'] })) as { token: string };
    return new Terminal(relayUrl, login, staticToken, String(access_token), id, key, token, pause);
  }

  /** A call of the management API as the administrator. @throws when the relay refuses it */
  async call(method: 'POST' | 'GET', path: string, body?: object): Promise<Answer> {
    const authorization = `Bearer ${this.jwt}`;
    const answer = await request(method, `${this.relayUrl}${path}`, { authorization }, body && JSON.stringify(body));
    if (answer.status < 300) return answer;
    throw new Error(`the relay answered ${answer.status} to ${path}: ${JSON.stringify(answer.body)}`);
  }

  /** Gives the restaurant the catalogue of its POS, as on the set-up page. @param csv see `PUT :r/catalogue` */
  async giveCatalogue(csv: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.jwt}`, 'content-type': 'text/csv' };
    expectStatus(
      200,
      await request('PUT', `${this.relayUrl}/restaurants/${this.restaurantId}/catalogue`, headers, csv),
    );
  }

  /**
   * Sends a sale as docs/terminals.md says: repeats it with the same body after a 503 and the like, and when no answer came. A repeat that is refused as a duplicate
   * was stored by an earlier try, and counts as stored.
   * @throws the error of the connection, when no answer came to the last try
   */
  async send(transaction: Readonly<Record<string, unknown>>, by: Method): Promise<Answer> {
    const { email, password } = this.login;
    const body = JSON.stringify(by === 'body' ? { ...transaction, email, password } : transaction);
    const attempt = () => this.sendOnce(body, String(transaction.transactionKey), by).catch((error: Error) => error);
    let tried = await attempt();
    for (const pauseMs of PAUSES_MS) {
      if (!(tried instanceof Error) && !isPassing(tried)) return tried;
      const askedMs = tried instanceof Error ? 0 : Math.min(tried.retryAfterMs ?? 0, RETRY_AFTER_LIMIT_MS);
      await this.pause(Math.max(pauseMs, askedMs));
      tried = await attempt();
      if ('body' in tried && tried.body.code === 'DUPLICATE_TRANSACTION') return { ...tried, status: 200 };
    }
    if (tried instanceof Error) throw tried;
    return tried;
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

/** Whether the sale is not stored, or may not be, and is to be sent again. */
function isPassing({ status }: Answer): boolean {
  return status === 408 || status === 429 || status >= 500;
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
  const retryAfterMs = (Number(response.headers.get('retry-after')) || 0) * 1_000;
  return { status: response.status, body: (await response.json()) as Answer['body'], retryAfterMs };
}

function expectStatus(expected: number, { status, body }: Answer): Answer['body'] {
  if (status === expected) return body;
  throw new Error(`the relay answered ${status} instead of ${expected}: ${JSON.stringify(body)}`);
}
