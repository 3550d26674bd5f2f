import type { Message } from './channel.js';

/** What mail programs and Slack make a link of: an address with its scheme, one that begins with www., or a domain with a path. */
const LINK = /:\/\/|(?<![\p{L}\p{N}])www\.|[\p{L}\p{M}\p{N}]\.(?:[\p{L}\p{M}]{2,}|xn--[\w-]+)(?::\d+)?[/?#]/iu;

/**
 * A message whose texts contain no link (G47): names are of people, and numbers of terminals, so that a reader would follow their links as the relay's.
 * `http://evil.test/` is `http[:]//evil[.]test/`. The channel adds the relay's own link, of `path`.
 */
export function withoutLinks(message: Message): Message {
  return { ...message, title: defanged(message.title), text: defanged(message.text) };
}

function defanged(text: string): string {
  return text.replaceAll(/\S+/gu, (word) =>
    LINK.test(word) ? word.replaceAll('://', '[:]//').replaceAll('.', '[.]') : word,
  );
}
