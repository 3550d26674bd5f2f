import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as it was received. */
export interface CaughtMail {
  readonly from: string;
  readonly to: readonly string[];
  /** headers and body, as sent */
  readonly source: string;
}

/** A mail server that keeps every mail, for the demo and the tests. */
export class MailCatcher {
  readonly mails: CaughtMail[] = [];
  /** the reply to the next mails, which may quote them; undefined: they are accepted */
  refusal: { readonly responseCode: number; readonly message: string | ((source: string) => string) } | undefined;
  /** false: mails are kept, and no reply is sent */
  answers = true;
  private readonly server: SMTPServer;

  /** @param account the only user name and password that are accepted; undefined: no sign-in */
  constructor(account?: { readonly user: string; readonly password: string }) {
    this.server = new SMTPServer({
      authOptional: account === undefined,
      disabledCommands: account ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) => {
        const isRight = username === account?.user && password === account?.password;
        // a careless server: its answer has the password
        if (isRight) done(null, { user: username });
        else done(Object.assign(new Error(`no user ${username} with ${password}`), { responseCode: 535 }));
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const source = Buffer.concat(chunks).toString('utf8');
          if (this.refusal) {
            const { message, responseCode } = this.refusal;
            const text = typeof message === 'string' ? message : message(source);
            return done(Object.assign(new Error(text), { responseCode }));
          }
          const from = envelope.mailFrom ? envelope.mailFrom.address : '';
          const to = envelope.rcptTo.map(({ address }) => address);
          this.mails.push({ from, to, source });
          return this.answers ? done() : undefined;
        });
      },
    });
    // clients that break off
    this.server.on('error', () => {});
  }

  /** @returns the port */
  async listen(): Promise<number> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return (this.server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((closed) => this.server.close(() => closed()));
  }
}
