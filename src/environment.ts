import { type PosPayment, TENDER_TYPES, type TenderRules } from './domain/tender.js';
import { isJwtShaped, isPrintable } from './domain/text.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** All problems at once, by variable name, without a value: what the operator reads before exit code 1. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      [
        `The relay cannot start: its configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}.`,
        ...problems.map((problem) => `  - ${problem}`),
        'Every variable is described in .env.example.',
      ].join('\n'),
    );
  }
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Reads variables by name and collects what is wrong with them; an empty value is an absent one. */
export class Reader {
  readonly problems: string[] = [];

  constructor(private readonly env: Environment) {}

  problem(name: string, text: string): undefined {
    this.problems.push(`${name} ${text}`);
    return undefined;
  }

  text(name: string): string | undefined {
    return this.env[name] || undefined;
  }

  integer(name: string, fallback: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.problem(name, `must be a whole number from ${least} to ${most}`);
    return fallback;
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], String(fallback)) === 'true';
  }

  oneOf(name: string, allowed: readonly string[], fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (allowed.includes(text)) return text;
    this.problem(name, `must be one of: ${allowed.join(', ')}`);
    return fallback;
  }

  durationSeconds(name: string, fallback: string): number {
    const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(this.text(name) ?? fallback) ?? [];
    const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
    if (seconds > 0) return seconds;
    this.problem(name, 'must be a duration with its unit: 900s, 30m, 12h, 7d or 2w');
    return 0;
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    return this.problem(name, `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }

  baseUrl(name: string): string | undefined {
    const text = this.url(name, ['http:', 'https:']);
    if (text === undefined) return undefined;
    const url = new URL(text);
    if (url.username || url.password || url.search || url.hash)
      return this.problem(name, 'must not carry credentials, a query or a fragment');
    return text.replace(/\/+$/, '');
  }

  key(name: string): Buffer | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const key = Buffer.from(text, 'base64');
    if (key.length === 32 && /^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return key;
    return this.problem(name, 'must be 32 bytes in base64 (openssl rand -base64 32)');
  }

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

  admin(): { readonly email: string; readonly password: string } | undefined {
    const email = this.text('ADMIN_EMAIL');
    const password = this.text('ADMIN_PASSWORD');
    if (email && !EMAIL.test(email)) this.problem('ADMIN_EMAIL', 'must be an email address');
    if (password && ([...password].length < 8 || Buffer.byteLength(password) > 72))
      this.problem('ADMIN_PASSWORD', 'must have 8 characters at least and 72 bytes at most');
    if (email && !password) this.problem('ADMIN_PASSWORD', 'is required with ADMIN_EMAIL');
    if (password && !email) this.problem('ADMIN_EMAIL', 'is required with ADMIN_PASSWORD');
    return email && password ? { email: email.toLowerCase(), password } : undefined;
  }

  terminalToken(): string | undefined {
    const name = 'TERMINAL_BEARER_TOKEN';
    const token = this.headerValue(name);
    if (token && isJwtShaped(token))
      return this.problem(
        name,
        'must not be shaped like a JWT (three parts joined by dots): it would never be compared',
      );
    return token;
  }

  path(name: string, fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (/^\/[\w./~%-]*$/.test(text)) return text;
    this.problem(name, 'must be a path that begins with a slash, for example /cancel-order');
    return fallback;
  }

  scheme(name: string, fallback: string): string {
    const text = this.env[name] ?? fallback;
    if (/^[A-Za-z0-9-]*$/.test(text)) return text;
    this.problem(name, 'must be one word, for example Bearer, or empty for the bare token');
    return fallback;
  }

  codes(name: string, fallback: string): ReadonlySet<number> {
    const words = (this.env[name] ?? fallback).split(',').map((word) => word.trim());
    const codes = words.filter((word) => word !== '');
    if (!codes.every((code) => /^\d{1,9}$/.test(code))) this.problem(name, 'must be whole numbers separated by commas');
    return new Set(codes.map(Number));
  }

  origins(name: string): readonly string[] {
    const origins = (this.text(name) ?? '').split(',').map((word) => word.trim());
    const named = origins.filter((origin) => origin !== '');
    for (const origin of named)
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        this.problem(name, 'must be origins separated by commas, for example https://staff.example');
    return named;
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // the same answer as for JSON that is no object: the value may hold a secret, so it is not repeated
    }
    return this.problem(name, 'must be a JSON object');
  }

  tenders(name: string): TenderRules['table'] {
    const table: Record<string, PosPayment> = { ...TENDER_TYPES };
    for (const [tenderType, value] of Object.entries(this.object(name) ?? {})) {
      const payment = typeof value === 'string' ? { code: value } : (value as PosPayment | null);
      if (typeof payment?.code === 'string' && payment.code !== '') table[tenderType] = payment;
      else this.problem(name, `must give tender type "${tenderType}" a code, or an object with a code`);
    }
    return table;
  }

  trustProxy(name: string): boolean | number | string {
    const text = this.text(name) ?? 'false';
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^\d{1,2}$/.test(text)) return Number(text);
    if (/^[0-9a-fA-F.:/, ]+$/.test(text) || /^(loopback|linklocal|uniquelocal)$/.test(text)) return text;
    this.problem(name, 'must be true, false, a number of hops, or addresses separated by commas');
    return false;
  }

  /** Text that becomes an HTTP header: anything else makes HTTP clients throw, with the value in the error. */
  private headerValue(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || isPrintable(text)) return text;
    return this.problem(name, 'must be 1 to 256 printable ASCII characters without spaces');
  }
}
