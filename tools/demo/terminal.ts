import { type Method, RESTAURANT } from './evening.js';

const ANSWER_LIMIT_MS = 15_000;

/** An answer of the relay. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Login {
  readonly email: string;
  readonly password: string;
}

/** The payment terminal: sends transactions to the relay, authenticated in one of four ways. */
export class Terminal {
  private constructor(
    readonly relayUrl: string,
    private readonly login: Login,
    private readonly staticToken: string,
    private readonly jwt: string,
    readonly restaurantId: string,
  ) {}

  /** Signs in as the administrator and creates the restaurant through the management API. */
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
    return new Terminal(relayUrl, login, staticToken, String(access_token), id);
  }

  /** A call of the management API as the administrator. @throws when the relay refuses it */
  async call(method: 'POST' | 'GET', path: string, body?: unknown): Promise<Answer> {
    const answer = await request(method, `${this.relayUrl}${path}`, { authorization: `Bearer ${this.jwt}` }, body);
    if (answer.status < 300) return answer;
    throw new Error(`the relay answered ${answer.status} to ${path}: ${JSON.stringify(answer.body)}`);
  }

  /** `POST /webhooks/terminal` */
  send(transaction: Readonly<Record<string, unknown>>, by: Method): Promise<Answer> {
    const { email, password } = this.login;
    const basic = Buffer.from(`${email}:${password}`).toString('base64');
    const headers: Record<Method, Record<string, string>> = {
      token: { authorization: `Bearer ${this.staticToken}` },
      jwt: { authorization: `Bearer ${this.jwt}` },
      basic: { authorization: `Basic ${basic}` },
      body: {},
    };
    const body = by === 'body' ? { ...transaction, email, password } : transaction;
    return post(`${this.relayUrl}/webhooks/terminal`, headers[by], body);
  }
}

const post = (url: string, headers: Record<string, string>, body: unknown) => request('POST', url, headers, body);

async function request(method: string, url: string, headers: Record<string, string>, body: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

function expectStatus(expected: number, { status, body }: Answer): Answer['body'] {
  if (status === expected) return body;
  throw new Error(`the relay answered ${status} instead of ${expected}: ${JSON.stringify(body)}`);
}
