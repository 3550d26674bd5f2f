import { describe as describeAnswer, errorLine, type PosAnswer } from '../../src/domain/pos-answer.js';

describe('an answer in words says status, POS error code and message', () => {
  const plain = { kind: 'answered', status: 422, errorCode: null, message: null, retryAfterMs: null, broken: false };

  test.each<[string, Partial<Extract<PosAnswer, { kind: 'answered' }>>]>([
    ['HTTP 422', {}],
    ['HTTP 422, POS error 12', { errorCode: 12 }],
    ['HTTP 422, POS error 0', { errorCode: 0 }],
    ['HTTP 422: unknown product', { message: 'unknown product' }],
    ['HTTP 422, POS error 12: unknown product', { errorCode: 12, message: 'unknown product' }],
    ['HTTP 502: <html> (the body broke off)', { status: 502, message: '<html>', broken: true }],
  ])('%s', (words, parts) => {
    expect(describeAnswer({ ...plain, ...parts } as PosAnswer)).toBe(words);
  });

  test('a call without an answer says what happened to it', () => {
    const refused: PosAnswer = {
      kind: 'unanswered',
      reach: 'NOT_SENT',
      code: 'ECONNREFUSED',
      message: 'connect 10.0.0.1:443',
    };
    expect(describeAnswer(refused)).toBe('no answer from the POS: ECONNREFUSED: connect 10.0.0.1:443');
  });
});

describe('lastError', () => {
  test('ordinary text stays as it is', () => {
    expect(errorLine('HTTP 422, POS error 12: código não existe')).toBe('HTTP 422, POS error 12: código não existe');
  });

  describe('is one line', () => {
    test.each([
      ['a newline', 'a\nb'],
      ['a carriage return and newline', 'a\r\nb'],
      ['a tab', 'a\tb'],
      ['NUL, which Postgres refuses', 'a\0b'],
      ['an escape character', 'a\u001bb'],
      ['DEL', 'a\u007fb'],
      ['a C1 control (next line)', 'a\u0085b'],
      ['a Unicode line separator', 'a\u2028b'],
      ['a Unicode paragraph separator', 'a\u2029b'],
      ['a run of them', 'a \r\n\t\n b'],
    ])('%s becomes one space', (_, text) => {
      expect(errorLine(text)).toBe('a b');
    });

    test('without spaces at its ends', () => {
      expect(errorLine('\n  broken \n')).toBe('broken');
    });
  });

  describe('is at most 1,000 characters', () => {
    test('1,000 characters are kept whole', () => {
      expect(errorLine('x'.repeat(1_000))).toBe('x'.repeat(1_000));
    });

    test.each([1_001, 70_000])('%i characters are cut, and the cut is marked', (length) => {
      expect(errorLine('x'.repeat(length))).toBe(`${'x'.repeat(999)}…`);
    });

    test('a character cut in half is replaced, since Postgres refuses the half', () => {
      const line = errorLine(`${'x'.repeat(998)}😀${'y'.repeat(50)}`);
      expect(line).toBe(`${'x'.repeat(998)}\ufffd…`);
    });

    test('an unpaired surrogate in a short text is replaced too', () => {
      expect(errorLine('a\ud800b')).toBe('a\ufffdb');
    });
  });

  describe('never contains a credential', () => {
    test('a secret is replaced wherever it stands', () => {
      expect(errorLine('s3cr3t: bad secret s3cr3t', ['s3cr3t'])).toBe('[secret]: bad secret [secret]');
    });

    test('each of several credentials is replaced', () => {
      expect(errorLine('id-partner P-77 with k3y was refused', ['P-77', 'k3y'])).toBe(
        'id-partner [secret] with [secret] was refused',
      );
    });

    test('characters that mean something in a pattern are taken literally', () => {
      expect(errorLine('bad a.c(+$&', ['a.c(+$&'])).toBe('bad [secret]');
      expect(errorLine('bad abc', ['a.c'])).toBe('bad abc');
    });

    test('a credential across the cut leaves no beginning of itself behind', () => {
      const line = errorLine(`${'x'.repeat(994)} s3cr3t-and-more`, ['s3cr3t-and-more']);
      expect(line).toBe(`${'x'.repeat(994)} [sec…`);
    });

    test('an empty credential replaces nothing', () => {
      expect(errorLine('abc', [''])).toBe('abc');
    });
  });
});
