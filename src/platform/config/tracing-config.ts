import type { EnvironmentReader } from './environment.js';

/** The traces of sales (section X). */
export interface TracingConfig {
  /** the share of sales whose spans may be recorded, from 0 to 1 (X6) */
  readonly ratio: number;
  /** where spans go (X7); undefined: none are recorded */
  readonly collector: CollectorConfig | undefined;
}

export interface CollectorConfig {
  /** the address of `/v1/traces` */
  readonly url: string;
  /** headers of every request; they may be secrets (X8) */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,4096}$/;
/** Headers that the relay sets, or that belong to the connection. */
const OWN_HEADERS =
  /^(content-type|content-length|content-encoding|host|connection|keep-alive|transfer-encoding|upgrade|expect|te|trailer)$/i;

/** Reads the variables of the traces, which have the names of OpenTelemetry; `read` collects the problems. */
export function readTracing(read: EnvironmentReader): TracingConfig {
  const endpoint = read.baseUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = readHeaders(read, 'OTEL_EXPORTER_OTLP_HEADERS');
  const serviceName = read.contact('OTEL_SERVICE_NAME') ?? 'terminal-pos-relay';
  return {
    ratio: read.share('OTEL_TRACES_SAMPLER_ARG', 1),
    collector: endpoint === undefined ? undefined : { url: `${endpoint}/v1/traces`, headers, serviceName },
  };
}

/** `name=value,name=value`; values are percent-encoded. The problem never quotes them (S2). */
function readHeaders(read: EnvironmentReader, name: string): Readonly<Record<string, string>> {
  const entries = (read.text(name) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => [entry.split('=', 1)[0] as string, entry] as const)
    .map(([header, entry]) => [header.trim(), decoded(entry.slice(header.length + 1).trim())] as const);
  const isValid = ([header, value]: readonly [string, string]) =>
    HEADER_NAME.test(header) && !OWN_HEADERS.test(header) && HEADER_VALUE.test(value);
  if (entries.every(isValid))
    return Object.fromEntries(entries.map(([header, value]) => [header.toLowerCase(), value]));
  read.problem(
    name,
    'must be headers as name=value, separated by commas, the values percent-encoded; the relay sets Content-Type, Host and those of ' +
      'the connection itself',
  );
  return {};
}

/** @returns an empty text, which is no value, when it cannot be decoded */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
