import { hash } from 'node:crypto';
import type { Message } from './channel.js';
import { oneLine } from './one-line.js';
import { withoutLinks } from './without-links.js';

/** The most bytes of a payload (L41). Push services take 4,096 with the encryption. */
const MAX_BYTES = 3_000;
const MAX_TITLE = 200;
/** The most characters of a header `Topic` (RFC 8030, 5.4). */
const TOPIC_LENGTH = 32;

/**
 * The payload for a device: declarative web push, which also a service worker can read. A text that is too long is cut.
 * @param publicUrl PUBLIC_URL
 */
export function payloadOf(message: Message, publicUrl: string): string {
  const { id, topic, title, text, path, fields } = withoutLinks(message);
  const lead = oneLine(title, MAX_TITLE);
  const withBody = (body: string) =>
    JSON.stringify({
      web_push: 8030,
      notification: {
        title: lead,
        body,
        navigate: `${publicUrl}${path}`,
        tag: topicOf(topic),
        data: { ...fields, id, path },
      },
    });
  const fits = (body: string) => Buffer.byteLength(withBody(body)) <= MAX_BYTES;
  if (fits(text)) return withBody(text);
  const characters = [...text.slice(0, MAX_BYTES)];
  const cut = (length: number) => `${characters.slice(0, length).join('').toWellFormed()}…`;
  let [least, most] = [0, characters.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(cut(middle))) least = middle;
    else most = middle - 1;
  }
  return withBody(cut(least));
}

/** The header `Topic`: the same for the same topic, which may have any length. */
export function topicOf(topic: string): string {
  return hash('sha256', topic, 'base64url').slice(0, TOPIC_LENGTH);
}
