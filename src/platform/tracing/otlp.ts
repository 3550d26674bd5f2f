import type { AttributeValue, Span } from './span.js';

/** `STATUS_CODE_ERROR` of OTLP. */
const ERROR = 2;
/** The span was sampled. */
const FLAGS = 1;

/**
 * The body of a POST request to `/v1/traces`: OTLP as JSON (X5). Ids are hexadecimal, 64-bit numbers are text, enums are numbers.
 * @param resource the attributes of this process
 */
export function otlpRequest(resource: Readonly<Record<string, string>>, spans: readonly Span[]): string {
  const scope = { scope: { name: 'relay' }, spans: spans.map(otlpSpan) };
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: otlpAttributes(resource) }, scopeSpans: [scope] }],
  });
}

function otlpSpan({ traceId, id, parent, link, name, kind, startMs, endMs, attributes, error }: Span) {
  return {
    traceId,
    spanId: id,
    // undefined is left out of JSON
    parentSpanId: parent,
    flags: FLAGS,
    name,
    kind,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: otlpAttributes(attributes),
    links: link && [{ traceId: link.traceId, spanId: link.id }],
    status: error === undefined ? undefined : { code: ERROR, message: error },
  };
}

function otlpAttributes(attributes: Span['attributes']) {
  const list: { key: string; value: object }[] = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined && value !== null) list.push({ key, value: otlpValue(value) });
  }
  return list;
}

function otlpValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** To the microsecond: a double holds no more of an epoch time. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`;
}
