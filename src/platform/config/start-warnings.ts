import { whyGuessable } from '../../domain/guessable.js';
import type { Config } from './config.js';
import { WEAK_TOKEN_TEXT, weakTokens } from './weak-tokens.js';

/** A line of the log at level `warn`: its fields, and its text for people. */
export type StartWarning = readonly [fields: { readonly event: string; readonly variable?: string }, text: string];

/** What the start warns of (S19, S39, S40); it continues all the same. */
export function startWarnings(config: Config): StartWarning[] {
  const password = whyPasswordIsWeak(config);
  const open = openAccess(config);
  return [
    ...weakTokens(config).map(
      (variable): StartWarning => [{ event: 'relay.weak_token', variable }, `${variable} ${WEAK_TOKEN_TEXT}`],
    ),
    ...(password === undefined
      ? []
      : [[{ event: 'relay.weak_password', variable: 'ADMIN_PASSWORD' }, password] satisfies StartWarning]),
    ...(open === undefined ? [] : [[{ event: 'relay.open_access' }, open] satisfies StartWarning]),
  ];
}

/** Why others may guess ADMIN_PASSWORD (S39), as a sentence; undefined: it is not set, or nothing is known against it. */
export function whyPasswordIsWeak({ admin }: Config): string | undefined {
  const reason = admin && whyGuessable(admin.password, admin.email);
  return reason === undefined ? undefined : `ADMIN_PASSWORD ${reason}`;
}

/** What production leaves open by its defaults (S40), in one line; undefined: nothing, or it is no production. */
function openAccess({ environment, loginAttemptsPerMinute, onboarding }: Config): string | undefined {
  if (environment !== 'production') return undefined;
  const open = [
    ...(loginAttemptsPerMinute === 0
      ? ['LOGIN_ATTEMPTS_PER_MINUTE is 0: passwords may be guessed without a limit; 10 is recommended']
      : []),
    ...(onboarding === 'self'
      ? [
          'ONBOARDING is self: everybody with an account may found restaurants, claim store codes that no restaurant has, and create accounts; ' +
            'admin leaves this to platform administrators',
        ]
      : []),
  ];
  return open.length === 0 ? undefined : open.join('. ');
}
