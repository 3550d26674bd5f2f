import { withoutSecrets } from '../../../src/platform/redaction/redaction.js';

type Encoder = (text: string) => string;

const base64: Encoder = (text) => Buffer.from(text).toString('base64');
const hex: Encoder = (text) => Buffer.from(text).toString('hex');
const byCodes = (write: (code: number) => string): Encoder => {
  return (text) => [...text].map((character) => write(character.charCodeAt(0))).join('');
};
const hexOf = (code: number, digits = 2) => code.toString(16).padStart(digits, '0');
const broken = (text: string, at: number, by: string) => text.replaceAll(new RegExp(`.{${at}}(?=.)`, 'g'), `$&${by}`);
/** Names that no encoder of HTML writes unless it must. */
const NAMES: Record<string, string> = {
  ...{
    '+': 'plus',
    '/': 'sol',
    '=': 'equals',
    '\\': 'bsol',
    '"': 'quot',
    '<': 'lt',
    '>': 'gt',
    '&': 'amp',
    "'": 'apos',
    '%': 'percnt',
  },
  ...{
    '#': 'num',
    $: 'dollar',
    '^': 'Hat',
    '?': 'quest',
    '-': 'dash',
    '@': 'commat',
    '!': 'excl',
    ':': 'colon',
    _: 'lowbar',
    '.': 'period',
  },
};
const named: Encoder = (text) => text.replaceAll(/[^\w~-]|_/g, (character) => `&${NAMES[character] as string};`);
const quoted = byCodes((code) => `=${hexOf(code).toUpperCase()}`);
const pem = (text: string) => `-----BEGIN KEY-----\n${broken(text, 64, '\n')}\n-----END KEY-----`;
const json: Encoder = (text) => JSON.stringify(text).slice(1, -1);
const long = (secret: string) =>
  `{"client":"a client with a long name","secret":${JSON.stringify(secret)},"grant_type":"client_credentials"}`;

const ENCODERS: Record<string, Encoder> = {
  'HTML names': named,
  hexadecimal: hex,
  'hexadecimal in capitals': (text) => hex(text).toUpperCase(),
  'hexadecimal with colons': (text) => broken(hex(text), 2, ':'),
  'hexadecimal as a list': (text) => [...Buffer.from(text)].map((byte) => `0x${hexOf(byte)}`).join(', '),
  'a list of bytes, as JSON has a Buffer': (text) => [...Buffer.from(text)].join(','),
  'escapes \\x41': byCodes((code) => `\\x${hexOf(code)}`),
  'octal escapes': byCodes((code) => `\\${code.toString(8).padStart(3, '0')}`),
  'escapes %u0041': byCodes((code) => `%u${hexOf(code, 4)}`),
  'escapes \\u{41}': byCodes((code) => `\\u{${hexOf(code)}}`),
  'quoted-printable': quoted,
  'quoted-printable, with a broken line': (text) => `${text.slice(0, 4)}=\r\n${quoted(text.slice(4))}`,
  'capital letters': (text) => text.toUpperCase(),
  'small letters': (text) => text.toLowerCase(),
  'a line feed inside': (text) => `${text.slice(0, 5)}\n${text.slice(5)}`,
  'a line feed inside, as JSON has it': (text) => json(`${text.slice(0, 5)}\r\n${text.slice(5)}`),
  'a soft hyphen inside': (text) => `${text.slice(0, 5)}\u00ad${text.slice(5)}`,
  'a soft hyphen inside, by its name': (text) => `${text.slice(0, 5)}&shy;${text.slice(5)}`,
  'a zero-width space between all letters': (text) => [...text].join('\u200b'),
  'blanks between all letters': (text) => [...text].join(' '),
  'NULs between all letters': (text) => [...text].join('\0'),
  'base64 in lines': (text) => broken(base64(text), 8, '\r\n'),
  'base64 in lines, as JSON has them': (text) => broken(base64(text), 8, '\\n'),
  'base64 of base64': (text) => base64(base64(text)),
  'base64 of base64 of base64': (text) => base64(base64(base64(text))),
  'base64 of hexadecimal': (text) => base64(hex(text)),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'base64 of UTF-16 in the other order': (text) => Buffer.from(text, 'utf16le').swap16().toString('base64'),
  'hexadecimal of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('hex'),
  'base64 of capital letters': (text) => base64(text.toUpperCase()),
  'base64 of URL encoding': (text) => base64(byCodes((code) => `%${hexOf(code)}`)(text)),
  'base64 of JSON': (text) => base64(json(text)),
};

/** Those that have more than the secret. */
const AROUND: Record<string, Encoder> = {
  'MIME, lines of 76': (secret) => broken(base64(long(secret)), 76, '\r\n'),
  'PEM, lines of 64': (secret) => pem(base64(long(secret))),
  'PEM that became one line': (secret) => pem(base64(long(secret))).replaceAll('\n', ' '),
  'base64 of JSON': (secret) => base64(long(secret)),
  'base64url of JSON': (secret) => Buffer.from(long(secret)).toString('base64url'),
  'base64 of a form': (secret) =>
    base64(`grant_type=client_credentials&secret=${encodeURIComponent(secret)}&scope=orders`),
  'hexadecimal of JSON': (secret) => hex(long(secret)),
  'base64 of quoted-printable': (secret) => base64(`secret=3D${quoted(secret)}=20and more`),
  'base64 in words': (secret) => `Basic${base64(`id-1:${secret}`)}refused`,
};

/** The letters of a text, however they are encoded: what a reader could put together. */
function readable(text: string): string {
  const decoders: Encoder[] = [
    (one) => one.replaceAll(/\s+|[\0\u00ad\u200b]/g, ''),
    (one) =>
      one.replaceAll(/(?:[\w+/-]{4})+={0,2}/g, (run) =>
        Buffer.from(run, 'base64').toString('latin1').replaceAll('\0', ''),
      ),
  ];
  return decoders.reduce((shown, decode) => `${shown}\n${decode(shown)}`, text).toLowerCase();
}

describe('a secret that a POS echoes in another form', () => {
  const secrets = ['a"b\\c<d>&\'e/f+g%41#$^', 'plain-s3cr3t', 'Zm9vYmFyMTIzNDU2Nzg5', `t0k3n.${'xY7-_q'.repeat(20)}`];

  test.each(Object.keys(ENCODERS).flatMap((name) => secrets.map((secret) => [name, secret] as const)))(
    '%s: %s (D18)',
    (name, secret) => {
      const written = (ENCODERS[name] as Encoder)(secret);
      expect(withoutSecrets(`bad ${written} end`, [secret])).toBe('bad [secret] end');
      expect(withoutSecrets(written, ['another-secret', secret])).toBe('[secret]');
    },
  );

  test.each(Object.keys(AROUND).flatMap((name) => secrets.map((secret) => [name, secret] as const)))(
    'within more, in %s: %s (D18)',
    (name, secret) => {
      const shown = withoutSecrets(`bad ${(AROUND[name] as Encoder)(secret)} end`, [secret]);
      expect(shown).toMatch(/^bad .*\[secret\].* end$/s);
      expect(readable(shown)).not.toContain(secret.slice(0, 8).toLowerCase());
      expect(readable(shown)).not.toContain(secret.slice(-8).toLowerCase());
    },
  );

  test.each([
    ['without its last character', 'plain-s3cr3', 'bad [secret] end'],
    ['without a quarter at its end', 'plain-s3c', 'bad [secret] end'],
    ['without its first characters', 'in-s3cr3t', 'bad [secret] end'],
    ['without more', 'plain-s3', 'bad plain-s3 end'],
    ['its end, in base64', base64('ain-s3cr3t'), 'bad [secret] end'],
  ])('%s (D18, L190)', (_, part, expected) => {
    expect(withoutSecrets(`bad ${part} end`, ['plain-s3cr3t'])).toBe(expected);
  });

  test.each(['5% ', '& ', '&l ', '%2 ', 'x\\ ', '\\u00 ', '= ', 'a=\n', 'https://pos/?a='])(
    'what stands before it, such as %j, does not hide it (D18)',
    (before) => {
      for (const secret of ['555c5b45', 'TCZWRFVM', '41plain-', 'U[E}C]s<'])
        for (const written of [secret, base64(secret), hex(secret), encodeURIComponent(secret)])
          expect(withoutSecrets(`${before}${written} end`, [secret])).toContain('[secret]');
    },
  );

  test('of a long token 512 characters are enough (D18, L190)', () => {
    const token = Array.from({ length: 2_000 }, (_, i) => ((i * 7_919) % 1_000).toString(36)).join('');
    expect(withoutSecrets(`bad ${token.slice(0, 600)} end`, [token])).toBe('bad [secret] end');
    expect(withoutSecrets(`bad ${token.slice(-512)} end`, [token])).toBe('bad [secret] end');
  });

  test.each([
    ['another case', 'Seven77', 'SEVEN77'],
    ['a blank inside', 'Seven77', 'Seven 77'],
    ['a part', 'Seven77', 'Seven7'],
    ['eight characters that are others', 'closed-at-nine', 'The shop is closed at night, and nine orders wait.'],
    [
      'words that look like base64',
      'closed-at-nine',
      'TheShopIsClosedAtNightAndNineOrdersWaitForTheirTurnHere0123456789abcdef',
    ],
  ])('%s of a secret stays, or of none: %s (D18)', (_, secret, text) => {
    expect(withoutSecrets(text, [secret])).toBe(text);
  });

  test('a short secret in base64 is replaced, in its case (D18)', () => {
    expect(withoutSecrets(`bad ${base64('k3y')} ${base64('K3Y')} ${base64('id:k3y!')}`, ['k3y'])).toBe(
      `bad [secret] ${base64('K3Y')} aWQ6[secret]IQ==`,
    );
  });
});
