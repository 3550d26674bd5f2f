import fc from 'fast-check';
import type { Meaning } from '../../src/domain/outcome.js';
import type { PosWireSettings } from '../../src/platform/config/pos-config.js';
import { readAnswer } from '../../src/pos/answer.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';

const RULES: PosWireSettings = { duplicateErrorCodes: new Set([904]), temporaryErrorCodes: new Set([950]) };

function read({ status, body, broken = false }: { status: number; body: string; broken?: boolean }) {
  const answer = readAnswer({ kind: 'answered', status, retryAfter: undefined, body, broken }, partner(RULES), 0, []);
  if (answer.kind !== 'answered') throw new Error('an exchange that was answered is an answer');
  return answer;
}

const meaning = (status: number, body: string): Meaning => read({ status, body }).meaning;

describe('the object of an answer', () => {
  const whole = JSON.stringify({
    errorCode: 904,
    message: 'order, exists',
    order: { lines: ['"}', 1], note: '\\"' },
  });

  test.each([
    [whole.slice(0, -1), 904, 'order, exists'],
    [whole.slice(0, whole.indexOf('lines') + 9), 904, 'order, exists'],
    [`{"list":[${'"a, \\"{",'.repeat(5_000)}`.replace('{', '{"errorCode":"904","errorMessage":"twice",'), 904, 'twice'],
  ])('of one that is cut the members that arrived whole count, %# (D6)', (body, errorCode, message) => {
    expect(read({ status: 400, body })).toMatchObject({
      errorCode: String(errorCode),
      message,
      meaning: 'duplicate',
    });
  });

  test.each([
    ['its code is cut', '{"errorCode":90'],
    ['its code may go on', '{"errorCode":904'],
    ['the code stands within', '{"order":{"errorCode":904,"a":1},"b":'],
    ['the code stands within, and is cut there', '{"a":1,"order":{"errorCode":904,"a":1'],
    ['the code stands in a text', '{"a":1,"message":"x,\\",\\"errorCode\\":904, and more'],
    ['a text that does not end', '{"a":1,"message":",\\"errorCode\\":904,'],
    ['an object in a text', String.raw`"{\"errorCode\":904,\"a\":1}"`],
    ['an object in what is no object', '{oops,"order":{"errorCode":904}}'],
    ['an object in one that is faulty', '{"order":oops,"more":{"errorCode":904}}'],
    ['no JSON', 'errorCode: 904, sorry {,'],
    ['behind what is no JSON', '{"a":oops,"errorCode":904}'],
  ])('%s: not read (D6)', (_, body) => {
    expect(read({ status: 400, body })).toMatchObject({ errorCode: null, meaning: 'refused' });
  });

  test.each([
    ['a NUL', '{"errorCode":904}\0'],
    ['a NUL and what was in the memory behind it', '{"errorCode":904}\0ode":12}'],
    ['a semicolon', '{"errorCode":904};'],
    ['the beginning of another object', '{"errorCode":904,"a":1},{'],
    ['another object with a code', '{"errorCode":904}\n{"errorCode":12}'],
    ['a page', '{"errorCode":904}<html>{"errorCode":12}'],
    ['half a character', '{"errorCode":904}\ufffd'],
  ])('the first object counts, whatever is behind it: %s (D6)', (_, body) => {
    expect(read({ status: 400, body })).toMatchObject({ errorCode: '904', meaning: 'duplicate' });
  });

  test.each([
    ['a warning', `Warning: 12" is {} in {closure}, line 3\n{"errorCode":904}`],
    ['a NUL', '\0{"errorCode":904}'],
    ['blanks', `${' \t\r\n'.repeat(16_000)}{"errorCode":904}`],
    ['a bracket', '[{"errorCode":904}]'],
    ['braces that are no JSON', '{closure} {"errorCode":904}'],
    ['such braces with an object within', '{x {"errorCode":12}} {"errorCode":904}'],
    ['objects without a code', '{}{"order":{"errorCode":12}} {"a":1}{"errorCode":904}'],
  ])('the first object with a code counts, whatever is before it: %s (D6)', (_, body) => {
    expect(read({ status: 400, body })).toMatchObject({ errorCode: '904', meaning: 'duplicate' });
    expect(meaning(200, body.replace('904', '901'))).toBe('authentication');
  });

  test.each([
    ['a line feed and a tab in a text', '{"message":"a\n\tb","errorCode":904}', 'a b'],
    ['a comma before the end', '{"errorCode":904,"message":"x",}', 'x'],
    ['no JSON behind it', '{"errorCode":904,"message":"x",oops}', 'x'],
    ['a number that JSON does not have', '{"message":"x","errorCode":904,"ms":NaN}', 'x'],
  ])('what is read of an object does not suffer from its faults: %s (D6)', (_, body, message) => {
    expect(read({ status: 400, body })).toMatchObject({ errorCode: '904', message, meaning: 'duplicate' });
  });

  const member = fc.jsonValue({ maxDepth: 3 });
  const object = fc.record({ before: member, errorCode: fc.constantFrom(901, 902, 904, 950, 12), order: member });
  const anything = fc.string({ unit: 'binary', maxLength: 40 });
  const noBrace = anything.map((text) => text.replaceAll('{', '('));

  test('with any text around it, it says what it says alone (D6)', () => {
    fc.assert(
      fc.property(object, noBrace, anything, fc.constantFrom(200, 400, 422, 503), (json, before, behind, status) => {
        const body = JSON.stringify(json);
        const { errorCode, meaning } = read({ status, body });
        expect(errorCode).toBe(String(json.errorCode));
        expect(read({ status, body: body + behind }).errorCode).toBe(errorCode);
        const around = read({ status, body: before + body + behind });
        expect(around.errorCode).toBe(errorCode);
        // D24: a body with a NUL before other characters is unreadable, so the order is not SENT
        expect(around.unreadable && meaning === 'delivered' ? 'temporary' : meaning).toBe(around.meaning);
      }),
    );
  });

  test('cut anywhere, it says nothing else than it says whole (D6)', () => {
    fc.assert(
      fc.property(object, fc.nat(200), (json, at) => {
        expect([null, String(json.errorCode)]).toContain(
          read({ status: 400, body: JSON.stringify(json).slice(0, at) }).errorCode,
        );
      }),
    );
  });

  test('a member of an object is nothing else than its own (D6)', () => {
    expect(read({ status: 400, body: '{"__proto__":{"errorCode":904}};' })).toMatchObject({ errorCode: null });
  });

  test('a text without a message is the message, with all that it says (D6)', () => {
    const body = 'Warning: no disk {"errorCode":12}';
    expect(read({ status: 422, body })).toMatchObject({ errorCode: '12', message: body });
  });

  test.each(['{"a":', '{"', '{ ', '{"a', '{"a" ', '{"a":1}', '{"a":1,', '[{"', '\\"', '{"a":"\\', '{"a":[', ' \0'])(
    'the 64 KiB of a body are read once: %j, repeated (L11)',
    (part) => {
      const body = part.repeat(65_536 / part.length);
      expect(read({ status: 422, body })).toMatchObject({ errorCode: null, meaning: 'refused' });
      expect(read({ status: 422, body: `x${body}` })).toMatchObject({ errorCode: null, meaning: 'refused' });
    },
  );

  test('without a message the whole text is the message (D6)', () => {
    const [body, long] = ['{"errorCode":12,"detail":"the store', `{"errorCode":12,"detail":"${'x'.repeat(65_000)}`];
    expect(read({ status: 400, body })).toMatchObject({ errorCode: '12', message: body });
    expect(read({ status: 400, body: long })).toMatchObject({ errorCode: '12', message: long.slice(0, 500) });
  });

  test('a connection that broke stays temporary (D6, D11)', () => {
    const cut = read({ status: 400, body: '{"errorCode":904,"a', broken: true });
    expect(cut).toMatchObject({ errorCode: '904', meaning: 'temporary' });
  });
});
