import { Contract, type Document } from '../../tools/contract.js';
import type { RawAnswer } from './answers.js';
import type { Exchange } from './connection.js';
import type { FuzzRequest } from './requests.js';
import type { World } from './world.js';

/** Statuses of what leads to no route of the document: pages, refusals below the router, refusals of any route. */
const ANYWHERE = [200, 201, 202, 204, 302, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 416, 422, 429, 431];
/** Answered below the router, and so at every route: a query and a token may be longer together than headers may be. */
const HEADERS_TOO_LARGE = 431;
/** Of a stack, of the libraries within, of the database: nothing that an answer says by itself. */
const INTERNALS = /node_modules|\.(?:js|ts):\d+|prisma|pglite|\bSELECT\b.*\bFROM\b|violates|\bat \w+ \(/i;

/** A mark of tenants.ts, or an id. */
const MARK_LIKE = /zq[a-z]+\d+[a-z]+\d*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Checks the rules that every answer must follow. */
export class Judge {
  private readonly contract: Contract;
  /** mark -> the name of its tenant */
  private readonly marks = new Map<string, string>();
  private readonly secrets: string[] = [];

  constructor(document: Document) {
    this.contract = new Contract(document);
  }

  /** Tenants whose marks are looked for from now on, and those of the ones before them. */
  know({ tenants, secrets }: World): void {
    for (const { name, marks } of tenants) for (const mark of marks) this.marks.set(mark, name);
    for (const secret of secrets)
      if (!this.secrets.includes(secret))
        this.secrets.push(secret, Buffer.from(secret).toString('base64').replace(/=+$/, ''));
  }

  /** @returns one line for each limit that was broken */
  violations(request: FuzzRequest, { answers, silent, ended }: Exchange): string[] {
    const found = answers.flatMap((answer) => this.violationsOf(request, answer));
    if (silent) found.push('neither an answer nor an end');
    else if (answers.length === 0 && !request.isBroken && ended && !mayEnd(request))
      found.push('closed without an answer');
    return found;
  }

  /** A line of the relay's log. @returns what it must not hold */
  violationInLog(line: string): string | undefined {
    const secret = this.secrets.find((each) => line.includes(each));
    return secret && `the log holds a secret: ${secret}`;
  }

  private violationsOf(request: FuzzRequest, answer: RawAnswer): string[] {
    const found: string[] = [];
    const { status, body } = answer;
    if (!request.route || status >= 500 || status === HEADERS_TOO_LARGE) {
      if (!ANYWHERE.includes(status)) found.push(`status ${status}: ${body.slice(0, 300)}`);
      if (status >= 400 && request.method !== 'HEAD' && !isErrorView(answer))
        found.push(`status ${status} without the error shape: ${body.slice(0, 300)}`);
    } else found.push(...this.againstDocument(request, answer));
    const { caller } = request;
    if (!(caller.isAdmin && isAdminArea(request.bytes))) found.push(...this.foreignIn(request, answer));
    const sent = () => request.bytes.toString('latin1').toLowerCase();
    for (const secret of this.secrets.filter((each) => body.includes(each)))
      if (!sent().includes(secret.toLowerCase())) found.push(`the answer holds a secret: ${secret}`);
    if (status >= 400 && INTERNALS.test(body) && !INTERNALS.test(sent()))
      found.push(`the answer discloses internals: ${body.slice(0, 300)}`);
    return found;
  }

  private foreignIn({ caller, bytes }: FuzzRequest, { body, headers }: RawAnswer): string[] {
    const own = caller.tenant?.name;
    const found = `${body} ${headers.get('location') ?? ''}`.toLowerCase().match(MARK_LIKE);
    const foreign = [...new Set(found)].filter((mark) => this.marks.has(mark) && this.marks.get(mark) !== own);
    if (foreign.length === 0) return [];
    const sent = bytes.toString('latin1').toLowerCase();
    // a terminal of the platform gets the job of a sale that it repeats
    const theirs = foreign.filter(
      (mark) => !sent.includes(mark.toLowerCase()) && !(caller.isTerminal && /^[0-9a-f-]{36}$/i.test(mark)),
    );
    return theirs.map((mark) => `the answer to ${caller.name} holds another tenant's ${mark}`);
  }

  private againstDocument({ route, method }: FuzzRequest, { status, headers, body }: RawAnswer): string[] {
    if (!route || method === 'HEAD') return [];
    const type = (headers.get('content-type') ?? '').split(';')[0] as string;
    try {
      const json = type === 'application/json' ? JSON.parse(body) : undefined;
      const answer = { status, headers: Object.fromEntries(headers), type, body: json, text: body };
      this.contract.check(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), answer);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  }
}

/** Node closes such a connection, as HTTP allows, when there is no listener for CONNECT. */
function mayEnd({ method }: FuzzRequest): boolean {
  return method === 'CONNECT';
}

/** R5: its answers are about every tenant. */
function isAdminArea(bytes: Buffer): boolean {
  const [target = ''] = bytes.toString('latin1').split('\r\n', 1);
  return target
    .replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .includes('/admin');
}

function isErrorView({ status, headers, body }: RawAnswer): boolean {
  if (!headers.get('content-type')?.startsWith('application/json')) return false;
  try {
    const { statusCode, error, message, code, requestId } = JSON.parse(body);
    const isText = [error, code, requestId].every((text) => typeof text === 'string' && text !== '');
    return isText && statusCode === status && (typeof message === 'string' || Array.isArray(message));
  } catch {
    return false;
  }
}
