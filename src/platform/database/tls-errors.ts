import { DatabaseStartError } from './database-start-error.js';

const NO_TLS = /server does not support SSL/i;
/** Node's codes for a certificate that it does not trust. */
const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_)/;

/**
 * The error of a server whose TLS does not fit DATABASE_URL, in one line that says what to write (S27); undefined for another error. In
 * `pg` each `sslmode` but `disable` and `no-verify` checks the certificate, and none goes on without TLS: elsewhere `prefer` and `require`
 * mean less.
 */
export function tlsRefusal(error: unknown): DatabaseStartError | undefined {
  const { message = '', code } = error as { readonly message?: string; readonly code?: unknown };
  if (NO_TLS.test(message))
    return new DatabaseStartError(
      'DATABASE_URL: sslmode asks for TLS, and the server has none. Leave sslmode out, or write sslmode=disable; to have TLS, switch ssl on in ' +
        'the server',
    );
  if (!UNTRUSTED.test(String(code))) return undefined;
  return new DatabaseStartError(
    `DATABASE_URL: the certificate of the server is not trusted (${message}). For a certificate of your own write ` +
      'sslmode=verify-full&sslrootcert=/path/ca.pem, or sslmode=no-verify to encrypt without checking it',
  );
}
