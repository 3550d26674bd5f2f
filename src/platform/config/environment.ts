import { isPassword, normalizeEmail, PASSWORD_RULE } from '../../domain/account.js';
import { isJwtShaped, isPrintable } from '../../domain/text.js';
import { fileVariableOf, readSecretFile } from './secret-files.js';

/** The environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is invalid. The message lists every problem by variable name and never shows a value (S2). */
export class ConfigError extends Error {
  /** @param hints lines about names that may have been mistyped */
  constructor(
    readonly problems: readonly string[],
    hints: readonly string[] = [],
  ) {
    super(
      [
        `The relay cannot start: its configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}.`,
        ...problems.map((problem) => `  - ${problem}`),
        ...hints,
        'Every variable is described in .env.example.',
      ].join('\n'),
    );
  }
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/**
 * Parses environment variables and collects their problems instead of throwing. An empty value counts as absent, unless the comment of
 * the method says otherwise. A method that finds a problem returns its fallback or undefined.
 */
export class EnvironmentReader {
  readonly problems: string[] = [];
  /** every name that was read; after loadConfig, all variables of the relay */
  readonly known = new Set<string>();
  /** secret -> the content of its file; undefined: the file cannot be used */
  private readonly fromFiles = new Map<string, string | undefined>();

  constructor(private readonly env: Environment) {}

  /** Records a problem; `text` follows the name of the variable. A secret whose file cannot be used has that problem only. */
  problem(name: string, text: string): undefined {
    const isUnread = this.fromFiles.has(name) && this.fromFiles.get(name) === undefined;
    if (!isUnread) this.problems.push(`${name} ${text}`);
    return undefined;
  }

  text(name: string): string | undefined {
    return this.raw(name) || undefined;
  }

  /** A text of one line: the line feed that a file may end with would become a part of the value (S28). */
  line(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || !/\p{Cc}/u.test(text)) return text;
    return this.problem(
      name,
      'must be one line without control characters: a file that it was read from may end with a line feed',
    );
  }

  private raw(name: string): string | undefined {
    this.known.add(name);
    const fileVariable = fileVariableOf(name);
    return fileVariable === undefined ? this.env[name] : this.secret(name, fileVariable);
  }

  /** A secret, from the variable or from its file, which is read once (S41). */
  private secret(name: string, fileVariable: string): string | undefined {
    this.known.add(fileVariable);
    const [given, path] = [this.env[name], this.env[fileVariable]];
    if (!path) return given;
    if (!this.fromFiles.has(name)) {
      if (given) this.problem(name, `and ${fileVariable} are both set: set one of them`);
      this.fromFiles.set(name, given || this.contentOf(path, fileVariable));
    }
    return this.fromFiles.get(name);
  }

  private contentOf(path: string, fileVariable: string): string | undefined {
    try {
      return readSecretFile(path);
    } catch (error) {
      return this.problem(fileVariable, `names the file ${path}, and ${(error as Error).message}`);
    }
  }

  /** A whole number from `least` to `most`. */
  integer(name: string, fallback: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.problem(name, `must be a whole number from ${least} to ${most}`);
    return fallback;
  }

  /** A number from 0 to 1. */
  share(name: string, fallback: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    if (/^(0|1|[01]?\.\d{1,9})$/.test(text) && Number(text) <= 1) return Number(text);
    this.problem(name, 'must be a number from 0 to 1, for example 0.1');
    return fallback;
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], String(fallback)) === 'true';
  }

  oneOf<Word extends string>(name: string, allowed: readonly Word[], fallback: Word): Word {
    const text = this.text(name) ?? fallback;
    const known = allowed.find((word) => word === text);
    if (known !== undefined) return known;
    this.problem(name, `must be one of: ${allowed.join(', ')}`);
    return fallback;
  }

  /** A duration with its unit, such as `7d`, in seconds (S9). */
  durationSeconds(name: string, fallback: string): number {
    const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(this.text(name) ?? fallback) ?? [];
    const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
    if (seconds > 0) return seconds;
    this.problem(name, 'must be a duration with its unit: 900s, 30m, 12h, 7d or 2w');
    return 0;
  }

  /** @param protocols the allowed protocols, each with its colon, for example `https:` */
  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (protocols.some((protocol) => text.startsWith(protocol)) && namesSeveralHosts(text))
      return this.problem(
        name,
        'must name one host: a list of hosts and target_session_attrs are not supported. Give one address that follows the primary: ' +
          'PgBouncer, HAProxy, a virtual IP, or the writer endpoint of a managed service',
      );
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    return this.problem(name, `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }

  /** An HTTP URL without trailing slashes. */
  baseUrl(name: string): string | undefined {
    const text = this.url(name, ['http:', 'https:']);
    if (text === undefined) return undefined;
    const url = new URL(text);
    if (url.username || url.password || url.search || url.hash)
      return this.problem(name, 'must not carry credentials, a query or a fragment');
    return text.replace(/\/+$/, '');
  }

  /** A 32-byte key in base64. */
  key(name: string): Buffer | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const key = Buffer.from(text, 'base64');
    if (key.length === 32 && /^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return key;
    return this.problem(name, 'must be 32 bytes in base64 (openssl rand -base64 32)');
  }

  /** POS credentials: both variables must be set, or neither. */
  credentials(
    partnerName: string,
    secretName: string,
  ): { readonly partnerId: string; readonly secret: string } | undefined {
    const partnerId = this.headerValue(partnerName);
    const secret = this.headerValue(secretName);
    if (partnerId && secret) return { partnerId, secret };
    if (this.text(partnerName) && !this.text(secretName)) this.problem(secretName, `is required with ${partnerName}`);
    if (this.text(secretName) && !this.text(partnerName)) this.problem(partnerName, `is required with ${secretName}`);
    return undefined;
  }

  /** ADMIN_EMAIL and ADMIN_PASSWORD: both must be set, or neither (A10). */
  admin(): { readonly email: string; readonly password: string } | undefined {
    const email = this.text('ADMIN_EMAIL');
    const password = this.line('ADMIN_PASSWORD');
    if (email && !EMAIL.test(email)) this.problem('ADMIN_EMAIL', 'must be an email address');
    if (password && !isPassword(password)) this.problem('ADMIN_PASSWORD', PASSWORD_RULE);
    if (email && !this.text('ADMIN_PASSWORD')) this.problem('ADMIN_PASSWORD', 'is required with ADMIN_EMAIL');
    if (password && !email) this.problem('ADMIN_EMAIL', 'is required with ADMIN_PASSWORD');
    return email && password ? { email: normalizeEmail(email), password } : undefined;
  }

  /** A static token of the terminal platform. It must not have the shape of a JWT (S10). */
  terminalToken(name: string): string | undefined {
    const token = this.headerValue(name);
    if (token && isJwtShaped(token))
      return this.problem(
        name,
        'must not have the shape of a JWT (three parts joined by dots): such a token is verified as a JWT',
      );
    return token;
  }

  path(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || /^\/[\w./~%-]*$/.test(text)) return text;
    return this.problem(name, 'must be a path that begins with a slash, for example /cancel-order');
  }

  /** A path, perhaps with a query, with the placeholder `{order_id}` and perhaps `{cod_store}`. */
  pathOfOrder(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const plain = text.replace(/\{(order_id|cod_store)\}/g, '');
    if (text.includes('{order_id}') && text.startsWith('/') && /^\/[\w./~%-]*(\?[\w./~%=&-]*)?$/.test(plain))
      return text;
    return this.problem(
      name,
      'must be a path that begins with a slash and contains {order_id}, for example /order/{order_id}',
    );
  }

  /** An authorization scheme. An empty value does not count as absent: the token is then sent without a scheme (T5). */
  scheme(name: string): string | undefined {
    const text = this.raw(name);
    if (text === undefined || /^[A-Za-z0-9-]*$/.test(text)) return text;
    return this.problem(name, 'must be one word, for example Bearer, or empty for the bare token');
  }

  /** Error codes separated by commas. An empty value does not count as absent: it means an empty list. */
  codes(name: string): ReadonlySet<number> | undefined {
    const text = this.raw(name);
    if (text === undefined) return undefined;
    const words = text.split(',').map((word) => word.trim());
    const codes = words.filter((word) => word !== '');
    if (!codes.every((code) => /^\d{1,9}$/.test(code))) this.problem(name, 'must be whole numbers separated by commas');
    return new Set(codes.map(Number));
  }

  /** An address or a text of one line, for people. */
  contact(name: string): string | undefined {
    const text = this.text(name)?.trim();
    if (text === undefined || (text.length <= 200 && !/\p{C}/u.test(text))) return text;
    return this.problem(name, 'must be one line of at most 200 characters');
  }

  /** Names separated by commas, `all`, or `none`: no name. Whether a name is known is checked where they are loaded. */
  capabilities(name: string): 'all' | readonly string[] {
    const names = (this.text(name) ?? 'all').split(',').map((word) => word.trim());
    if (names.length === 1 && names[0] === 'all') return 'all';
    return names.length === 1 && names[0] === 'none' ? [] : names.filter((word) => word !== '');
  }

  /** Web origins separated by commas. */
  origins(name: string): readonly string[] {
    const origins = (this.text(name) ?? '').split(',').map((word) => word.trim());
    const named = origins.filter((origin) => origin !== '');
    for (const origin of named)
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        this.problem(name, 'must be origins separated by commas, for example https://staff.example');
    return named;
  }

  /** A JSON object. */
  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // the message of the parser is not used: it quotes the value, which may be a secret
    }
    return this.problem(name, 'must be a JSON object');
  }

  /** A value for Fastify's `trustProxy`. */
  trustProxy(name: string): boolean | number | string {
    const text = this.text(name) ?? 'false';
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^\d{1,2}$/.test(text)) return Number(text);
    if (/^[0-9a-fA-F.:/, ]+$/.test(text) || /^(loopback|linklocal|uniquelocal)$/.test(text)) return text;
    this.problem(name, 'must be true, false, a number of hops, or addresses separated by commas');
    return false;
  }

  /** A text that an HTTP header may contain. With any other text the HTTP client would throw an error that quotes the value. */
  headerValue(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || isPrintable(text)) return text;
    return this.problem(name, 'must be 1 to 256 printable ASCII characters without spaces');
  }
}

/** Whether the URL lists several hosts, `//one,two/` or `?host=one,two`. libpq allows such a list; the driver does not. */
function namesSeveralHosts(text: string): boolean {
  const [, authority = '', query = ''] = /^[a-z]+:\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  return hosts.includes(',') || (new URLSearchParams(query).get('host') ?? '').includes(',');
}
