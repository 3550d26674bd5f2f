import webPush from 'web-push';
import { areDeviceKeys, encryptForDevice } from '../../../src/capabilities/channels/push-encryption.js';
import { payloadOf, topicOf } from '../../../src/capabilities/channels/push-message.js';
import { Browser } from './browser.js';

const message = (changes = {}) => ({
  ...{ id: 'b9a7c1de-0000-4000-8000-000000000001', topic: 'alert:1', title: 'Orders wait', text: 'Table 4' },
  ...{ path: '/console/r/1/alerts', fields: {}, ...changes },
});

describe('web push', () => {
  const browser = new Browser('https://updates.push.services.mozilla.com/x');

  test('the decryption of these tests reads what web-push encrypts, another implementation (G22)', () => {
    const { p256dh, auth } = browser.subscription.keys;
    const { cipherText } = webPush.encrypt(p256dh, auth, 'Grüße 🍕', 'aes128gcm');
    expect(browser.decrypt(cipherText)).toBe('Grüße 🍕');
  });

  test.each(['', 'Grüße 🍕', 'x'.repeat(3_000)])('a browser decrypts what the relay encrypts: %.10s (G22)', (text) => {
    expect(browser.decrypt(encryptForDevice(text, browser.subscription.keys))).toBe(text);
    const other = new Browser(browser.endpoint);
    expect(() => other.decrypt(encryptForDevice(text, browser.subscription.keys))).toThrow();
  });

  test('the example of RFC 8291, appendix A (G22)', () => {
    const encrypted = encryptForDevice(
      'When I grow up, I want to be a watermelon',
      {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
      {
        salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
        privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
      },
    );
    expect(encrypted.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  test.each([
    ['the keys of a browser', {}, true],
    ['with padding', { auth: 'BTBZMqHH6r4Tts7J_aSIgg==' }, true],
    ['no base64url', { p256dh: 'B!' }, false],
    ['a point that is not on the curve', { p256dh: Buffer.alloc(65, 4).toString('base64url') }, false],
    ['a compressed point', { p256dh: Buffer.alloc(33, 2).toString('base64url') }, false],
    ['a short secret', { auth: 'AAAA' }, false],
  ])('keys: %s (G24)', (_, changes, expected) => {
    expect(areDeviceKeys({ ...browser.subscription.keys, ...changes })).toBe(expected);
  });

  test('the payload is declarative web push (G22)', () => {
    expect(JSON.parse(payloadOf(message(), 'https://relay.example'))).toEqual({
      web_push: 8030,
      notification: {
        title: 'Orders wait',
        body: 'Table 4',
        navigate: 'https://relay.example/console/r/1/alerts',
        tag: topicOf('alert:1'),
        data: { id: message().id, path: '/console/r/1/alerts' },
      },
    });
  });

  test.each(['x', '🍕', '"', '\u0007', 'é\n'])('a payload of many %j is cut to 3,000 bytes (L41)', (character) => {
    const payload = payloadOf(message({ text: character.repeat(5_000), title: '🍕'.repeat(500) }), 'https://r.example');
    expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(3_000);
    expect(Buffer.byteLength(payload)).toBeGreaterThan(2_980);
    const { title, body } = JSON.parse(payload).notification;
    expect([title.isWellFormed(), body.isWellFormed(), body.endsWith('…')]).toEqual([true, true, true]);
  });

  test('a topic of any text is 32 characters of base64url (G22)', () => {
    expect(topicOf('ünï:code 🍕'.repeat(50))).toMatch(/^[\w-]{32}$/);
    expect(topicOf('a')).not.toBe(topicOf('b'));
  });
});
