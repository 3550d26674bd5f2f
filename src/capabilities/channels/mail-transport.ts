import type { Transporter } from 'nodemailer';
import { percentDecoded } from '../../domain/text.js';
import { withLimit } from '../../platform/time-limit.js';

/** Limits of the steps of a delivery, in ms; the deadline of the whole is longer than each (L42). */
const STEP_MS = 8_000;
/** Deadline of a delivery or a check, in ms (L42). */
const DEADLINE_MS = 12_000;
/** Parameters with which an SMTP_URL would write the conversation, and so the password, to the output. */
const NOISY = ['logger', 'debug', 'transactionLog'];

/** The reply code of a mail server that refused; absent when it did not answer. */
export interface MailError extends Error {
  readonly responseCode?: number;
}

/**
 * A connection to the mail server of SMTP_URL, made for each use.
 * @param use sends or checks
 * @throws MailError
 */
export async function withMailServer<T>(
  smtpUrl: string,
  use: (server: Transporter) => Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  // loaded by the first call, so that the process starts faster
  const { createTransport } = await import('nodemailer');
  const url = new URL(smtpUrl);
  for (const name of NOISY) url.searchParams.delete(name);
  const server = createTransport({
    url: url.href,
    ...{ connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, socketTimeout: STEP_MS, dnsTimeout: STEP_MS },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = () => {
    throw new Error(`no answer within ${deadlineMs / 1_000} s`);
  };
  return withLimit(deadlineMs, use(server), late).finally(() => server.close());
}

/** The passwords that an SMTP_URL carries, as written and decoded. */
export function secretsOfMail(smtpUrl: string | undefined): string[] {
  if (smtpUrl === undefined) return [];
  const { password, username } = new URL(smtpUrl);
  const decoded = percentDecoded(password);
  if (password === '') return [];
  // as SMTP sends them: AUTH LOGIN and AUTH PLAIN
  const sent = [decoded, `\0${percentDecoded(username)}\0${decoded}`].map((text) =>
    Buffer.from(text).toString('base64'),
  );
  return [password, decoded, ...sent];
}
