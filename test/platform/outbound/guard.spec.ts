import { loadConfig } from '../../../src/platform/config/config.js';
import { refusalOf } from '../../../src/platform/outbound/guard.js';
import { ENVIRONMENT, NO_POS } from '../../support/environment.js';

const allowOf = (text: string) =>
  loadConfig({
    ...ENVIRONMENT,
    ...{ DATABASE_URL: 'postgresql://relay@db.example/relay', POS_BASE_URL: NO_POS, OUTBOUND_ALLOW: text },
  }).alerts.outboundAllow;

const NOT_PUBLIC = 'the address does not lead to the public internet';

describe('addresses that people typed', () => {
  test.each([
    'https://hooks.example',
    'https://hooks.example:8443/path?token=1',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://hooks.example./',
    'https://xn--mnchen-3ya.example/',
  ])('%s may be called (G28)', (url) => {
    expect(refusalOf(url, [])).toBeUndefined();
  });

  test.each([
    ['http://hooks.example', 'the address must begin with https://'],
    ['ftp://hooks.example', 'the address must begin with https://'],
    ['file:///etc/passwd', 'the address must begin with https://'],
    ['hooks.example', 'this is no address'],
    ['https://', 'this is no address'],
    ['https://hooks.example:80', 'the port must be 443 or 8443'],
    ['https://hooks.example:6379', 'the port must be 443 or 8443'],
    ['https://user@hooks.example', 'the address must not carry a user name or a password'],
    ['https://:pass@hooks.example', 'the address must not carry a user name or a password'],
    ['https://hooks.example@127.0.0.1', 'the address must not carry a user name or a password'],
    [`https://hooks.example/${'x'.repeat(2_000)}`, 'an address has at most 2000 characters'],
    ...[
      ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'printer.local', 'metadata.google.internal'],
      ...['127.0.0.1', '127.0.0.1.', '127.1', '0x7f.1', '0x7f000001', '2130706433', '017700000001', '0', '①②⑦.0.0.1'],
      ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '198.18.0.1', '192.0.0.8'],
      ...['0.0.0.0', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.7'],
      ...['[::1]', '[::]', '[::127.0.0.1]', '[::7f00:1]', '[::8.8.8.8]', '[::ffff:10.0.0.1]', '[::ffff:7f00:1]'],
      ...['[::ffff:0:7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001::1]'],
      ...['[fe80::1]', '[fd00::1]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]', '[100::1]', '[4000::1]'],
    ].map((host) => [`https://${host}/`, NOT_PUBLIC]),
  ])('%s is refused: %s (G28)', (url, reason) => {
    expect(refusalOf(url as string, [])).toBe(reason);
  });

  test.each([
    ['hooks.internal', 'http://hooks.internal:8080/x', undefined],
    ['hooks.internal', 'http://HOOKS.internal./x', undefined],
    ['hooks.internal', 'https://a.hooks.internal/', NOT_PUBLIC],
    ['hooks.internal:8080', 'http://hooks.internal:8080/', undefined],
    ['hooks.internal:8080', 'http://hooks.internal:8081/', 'the address must begin with https://'],
    ['hooks.internal:80', 'http://hooks.internal/', undefined],
    ['10.1.0.0/16', 'http://10.1.2.3:9000/', undefined],
    ['10.1.0.0/16', 'https://10.2.2.3/', NOT_PUBLIC],
    ['10.1.0.0/16', 'http://[::ffff:10.1.2.3]/', undefined],
    ['10.1.0.0/16', 'https://hooks.internal/', undefined],
    ['10.1.0.0/16', 'http://hooks.internal/', 'the address must begin with https://'],
    ['fd00::/8', 'http://[fd00::1]/', undefined],
    ['::1', 'http://[::1]:3000/', undefined],
    ['[::1]:3000', 'http://[::1]:3000/', undefined],
    ['127.0.0.1:9', 'http://2130706433:9/', undefined],
    ['a.example, b.example:81', 'http://b.example:81/', undefined],
    ['hooks.internal', 'http://user@hooks.internal/', 'the address must not carry a user name or a password'],
    ['hooks.internal', 'ftp://hooks.internal/', 'the address must begin with https://'],
  ])('with OUTBOUND_ALLOW=%s, %s: %s (G28)', (allow, url, reason) => {
    expect(refusalOf(url, allowOf(allow))).toBe(reason);
  });
});
