const MASKED = '***';

/**
 * A token of the relay by its beginning: of a printer, a sender key, an alert, an invitation, a password, a test message, a webhook; or a JWT. `_` and `/` may be
 * percent-encoded. It may follow anything but a letter or a digit, which would make it a word such as `stack_`.
 */
const TOKEN =
  /(?:(?<![a-z\d])|(?<=%[\da-f]{2}))(?:(?:prn|rly|ack|inv|cfm|pwl)(?:_|%5f)[\w%-]{4,}|whsec(?:_|%5f)[\w+/%=-]{4,}|eyJ[\w.%-]{16,})/gi;

/** A run that may be a token without its beginning, such as one after a mistyped prefix: 32 bytes in base64url have 43 characters, an id has 36. */
const LONG_RUN = /[\w-]{40,}/g;

/** How often an address is decoded: each proxy on the way may encode it once more. */
const MOST_ENCODED = 4;

/** An address quoted by the framework, for a path without a route or one that cannot be decoded. */
const QUOTES_ADDRESS = /^Cannot [A-Z]+ |is not a valid url component$/;

/** `%70rn_` -> `prn_`: what may be a part of a token, encoded once or several times. */
function decoded(text: string): string {
  let shown = text;
  for (let times = 0; times < MOST_ENCODED; times++)
    shown = shown.replaceAll(/%(2[5bdef]|3[\dd]|[46][1-9a-f]|5[\daf]|7[\da])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return shown;
}

/**
 * A message without tokens, which a caller may have sent in a path, a query or a name (H10). An address that the framework quotes has no query, and
 * nothing that could be a token: not what follows `/print/` (K3), and no long run.
 */
export function maskTokens(message: string): string {
  if (!QUOTES_ADDRESS.test(message)) return message.replaceAll(TOKEN, MASKED);
  const plain = decoded(message);
  const masked = maskAddress(plain);
  // an address without a token is quoted as it came
  return masked === plain ? maskAddress(message) : masked;
}

function maskAddress(message: string): string {
  const shown = message.replaceAll(TOKEN, MASKED);
  return shown
    .replace(/\?.*?(?='|$)/s, '')
    .replaceAll(/(\/print(?:\/|%2f)+)[^/?'\s]+/gi, `$1${MASKED}`)
    .replaceAll(LONG_RUN, MASKED);
}
