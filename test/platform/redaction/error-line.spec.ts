import { errorLine } from '../../../src/platform/redaction/error-line.js';

describe('lastError (D18, L12)', () => {
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

    test('a character that the cut splits is replaced, since Postgres refuses the half', () => {
      const line = errorLine(`${'x'.repeat(998)}😀${'y'.repeat(50)}`);
      expect(line).toBe(`${'x'.repeat(998)}\ufffd…`);
    });

    test('an unpaired surrogate in a short text is replaced too', () => {
      expect(errorLine('a\ud800b')).toBe('a\ufffdb');
    });
  });

  describe('never contains a credential', () => {
    test('every occurrence is replaced', () => {
      expect(errorLine('s3cr3t: bad secret s3cr3t', ['s3cr3t'])).toBe('[secret]: bad secret [secret]');
    });

    test('of a long text the beginning is read, and a secret at its end is not shown in part', () => {
      const secret = 'x'.repeat(256);
      for (let blanks = 7_900; blanks <= 8_200; blanks += 3)
        expect(errorLine(`a${' '.repeat(blanks)}${secret}${'b'.repeat(60_000)}`, [secret])).not.toContain('xxx');
    });

    test('each of several credentials is replaced', () => {
      expect(errorLine('id-partner P-77 with k3y was refused', ['P-77', 'k3y'])).toBe(
        'id-partner [secret] with [secret] was refused',
      );
    });

    test('characters with a meaning in patterns are taken literally', () => {
      expect(errorLine('bad a.c(+$&', ['a.c(+$&'])).toBe('bad [secret]');
      expect(errorLine('bad abc', ['a.c'])).toBe('bad abc');
    });

    test('a credential across the cut leaves no part of it', () => {
      const line = errorLine(`${'x'.repeat(994)} s3cr3t-and-more`, ['s3cr3t-and-more']);
      expect(line).toBe(`${'x'.repeat(994)} [sec…`);
    });

    describe('in any encoding', () => {
      const json = (text: string) => JSON.stringify(text).slice(1, -1);
      const codes = (text: string) => text.replaceAll(/[<>&'"]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
      const html = (text: string) =>
        text.replaceAll(/[<>&"]/g, (c) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' })[c] as string);
      const numbers = (text: string) => text.replaceAll(/./g, (c) => `&#x${c.charCodeAt(0).toString(16)};`);
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const base64url = (text: string) => Buffer.from(text).toString('base64url');
      const url = encodeURIComponent;

      const encodings: Record<string, (text: string) => string> = {
        json,
        'json, with / escaped': (text) => json(text).replaceAll('/', '\\/'),
        'json, with codes': (text) => codes(text.replaceAll('\\', '\\\\')),
        'json in json': (text) => json(json(text)),
        html,
        'html, by numbers': numbers,
        'html in json': (text) => json(html(text)),
        'html in json, with codes': (text) => codes(html(text)),
        'html of html': (text) => html(html(text)),
        url,
        'url, in lower case': (text) => url(text).replaceAll(/%../g, (code) => code.toLowerCase()),
        'url of url': (text) => url(url(text)),
        'url of html': (text) => url(html(text)),
        base64,
        base64url,
        'base64 in json': (text) => base64(text).replaceAll('/', '\\/'),
        'base64 in a URL': (text) => url(base64(text)),
      };
      const secrets = ['a"b\\c<d>&\'e/f+g%41#$^', 'plain-s3cr3t', '???>>>~~~'];

      test.each(Object.keys(encodings).flatMap((name) => secrets.map((secret) => [name, secret] as const)))(
        '%s: %s',
        (name, secret) => {
          const written = (encodings[name] as (text: string) => string)(secret);
          expect(errorLine(`bad ${written} end`, [secret])).toBe('bad [secret] end');
        },
      );

      test.each(secrets)('base64 of a longer text, as in a Basic header: %s', (secret) => {
        for (const before of ['id:', 'id-1:', 'id-12:'])
          for (const after of ['', '.', '..', '...']) {
            const line = errorLine(`Basic ${base64(`${before}${secret}${after}`)}!`, [secret]);
            expect(line).toMatch(/^Basic [\w+/]{4,8}\[secret\][\w+/]{0,4}={0,2}!$/);
          }
      });

      test('an unrelated text is unchanged', () => {
        const text = 'C:\\temp\\u0041 &amp; 100 % of &lt;b&gt; %41 &#65; dGV4dA==';
        expect(errorLine(text, secrets)).toBe(text);
      });

      test('the time grows with the length only', () => {
        const before = process.cpuUsage();
        for (const part of ['\\', '%25', '&amp;', '%', '\\"', 'a', 'V', '=3D3D41', '%2525252525', '41'])
          errorLine(part.repeat(65_536 / part.length), [...secrets, 'a'.repeat(8_192), `${'\\'.repeat(255)}x`]);
        expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
      });
    });

    test('an empty credential replaces nothing', () => {
      expect(errorLine('abc', [''])).toBe('abc');
    });
  });
});
