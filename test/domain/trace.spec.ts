import {
  readStoredTrace,
  readTraceparent,
  spanOfClaim,
  storedTrace,
  traceOf,
  traceparentOf,
} from '../../src/domain/trace.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const known = (version: string, flags = '01') => `${version}-${ID}-${SPAN}-${flags}`;

describe('the trace of a sale', () => {
  test.each<[string, string, boolean]>([
    ['the example of the recommendation', known('00'), true],
    ['not sampled', known('00', '00'), false],
    ['flags that mean nothing in version 00', known('00', 'fe'), false],
    ['the flag sampled among others', known('00', 'ff'), true],
    ['a later version of the same form', known('01'), true],
    ['the last version', known('fe', '00'), false],
    ['a later version with more parts', `${known('cc')}-what-the-future-will-be-like`, true],
    ['a later version that ends with a hyphen', `${known('cc')}-`, true],
  ])('%s is kept (X1)', (_, header, sampled) => {
    expect(readTraceparent(header)).toEqual({ id: ID, parent: SPAN, sampled });
  });

  test.each<[string, string | string[] | undefined]>([
    ['no header', undefined],
    ['an empty one', ''],
    ['one word', 'trace'],
    ['version ff', known('ff')],
    ['version ff with more parts', `${known('ff')}-extra`],
    ['a version of one digit', known('0')],
    ['a version of three digits', known('000')],
    ['a version that is not hexadecimal', known('.0')],
    ['a version in upper case', known('CC')],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a trace id in upper case', `00-${ID.toUpperCase()}-${SPAN}-01`],
    ['a trace id with one letter in upper case', `00-${ID.replace('b', 'B')}-${SPAN}-01`],
    ['a trace id with another character', `00-.${ID.slice(1)}-${SPAN}-01`],
    ['a short trace id', `00-${ID.slice(1)}-${SPAN}-01`],
    ['a long trace id', `00-${ID}0-${SPAN}-01`],
    ['a parent id of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
    ['a parent id in upper case', `00-${ID}-${SPAN.toUpperCase()}-01`],
    ['a parent id with another character', `00-${ID}-.${SPAN.slice(1)}-01`],
    ['a short parent id', `00-${ID}-${SPAN.slice(1)}-01`],
    ['a long parent id', `00-${ID}-${SPAN}0-01`],
    ['flags of one digit', known('00', '1')],
    ['flags of three digits', known('00', '001')],
    ['flags that are not hexadecimal', known('00', '.0')],
    ['flags in upper case', known('00', 'FF')],
    ['no flags', `00-${ID}-${SPAN}`],
    ['version 00 with more parts', `${known('00')}-what-the-future-will-be-like`],
    ['version 00 that ends with a hyphen', `${known('00')}-`],
    ['a later version with more and no hyphen', `${known('cc')}.what`],
    ['a later version with short flags', `cc-${ID}-${SPAN}-1`],
    ['a later version without flags', `cc-${ID}-${SPAN}-`],
    ['underscores', known('00').replaceAll('-', '_')],
    ['spaces around it, which HTTP has removed', ` ${known('00')} `],
    ['two headers', `${known('00')}, ${known('00')}`],
    ['two headers, as a list', [known('00'), known('00')]],
    ['two headers of a later version', `${known('cc')}-x, ${known('cc')}-x`],
    ['a very long one', known('00').repeat(300)],
  ])('%s is invalid: the relay makes a new trace (X1)', (_, header) => {
    expect(readTraceparent(header)).toBeUndefined();
    const made = { id: 'd'.repeat(32), parent: null, sampled: true };
    expect(traceOf(header, () => made.id, 0, 1)).toEqual(made);
  });

  test.each<[string, string | undefined, number, number, boolean]>([
    ['a sampled one within the ratio', known('00', '01'), 0.49, 0.5, true],
    ['a sampled one beyond the ratio', known('00', '01'), 0.5, 0.5, false],
    ['a sampled one at ratio 0', known('00', '01'), 0, 0, false],
    ['a sampled one at ratio 1', known('00', '01'), 0.999_999, 1, true],
    ['one that the sender did not sample', known('00', '00'), 0, 1, false],
    ['a new one within the ratio', undefined, 0.49, 0.5, true],
    ['a new one beyond the ratio', undefined, 0.5, 0.5, false],
  ])('%s: a sender cannot have more sampled than our share (X6)', (_, header, drawn, ratio, sampled) => {
    expect(traceOf(header, () => ID, drawn, ratio)).toMatchObject({ id: ID, sampled });
  });

  test.each([
    { id: ID, parent: SPAN, sampled: true },
    { id: ID, parent: SPAN, sampled: false },
    { id: ID, parent: null, sampled: true },
  ])('%j is stored as 25 bytes (X2)', (trace) => {
    const stored = storedTrace(trace);
    expect(Buffer.from(stored, 'hex')).toHaveLength(25);
    expect(readStoredTrace(stored)).toEqual(trace);
  });

  test('an event of a version that kept no trace has none (X2)', () => {
    expect(readStoredTrace(null)).toBeUndefined();
  });

  test('it goes on with the first 8 bytes of the claim as span id (X4)', () => {
    const span = spanOfClaim('host-with-hyphens:4711/019aaf3e-6d5c-7b1a-9c2d-0123456789ab');
    expect(span).toBe('019aaf3e6d5c7b1a');
    const trace = { id: ID, parent: SPAN, sampled: true };
    expect(readTraceparent(traceparentOf(trace, span))).toEqual({ ...trace, parent: span });
    expect(traceparentOf({ ...trace, sampled: false }, span)).toBe(`00-${ID}-${span}-00`);
  });
});
