import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RelayProcess } from './relay-process.js';
import type { Login } from './terminal.js';

const HOST = '127.0.0.1';
const DEFAULT_PORT = 3000;
/** Without optimizing compilation of WebAssembly the embedded database starts in two thirds of the CPU time. */
const QUICK_START = ['--liftoff-only'];

export interface OpenRelay {
  readonly process: RelayProcess;
  readonly url: string;
  readonly admin: Login;
  /** TERMINAL_BEARER_TOKEN */
  readonly terminalToken: string;
}

/**
 * Starts a relay in a temporary folder that only its owner can enter, without the user's settings.
 * @param closers the functions that stop it and remove the folder are added to them
 * @param stillStarting called every second until it has started, with the ms since the start
 * @param smtpUrl the mail server; undefined: no mail
 */
export async function openRelay(
  posUrl: string,
  closers: (() => Promise<void> | void)[],
  stillStarting: (ms: number) => void,
  smtpUrl?: string,
): Promise<OpenRelay> {
  const admin = { email: 'owner@roma.example', password: randomBytes(12).toString('hex') };
  const terminalToken = `demo-${randomBytes(4).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'relay-demo-'));
  const start = async (port: number | string): Promise<OpenRelay> => {
    const settings = {
      DATA_DIR: folder,
      HOST,
      PORT: String(port),
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      TERMINAL_BEARER_TOKEN: terminalToken,
      POS_BASE_URL: posUrl,
      OUTBOX_PACE: 'eager',
      RESEND: 'restaurants',
      ...(smtpUrl !== undefined && { SMTP_URL: smtpUrl, MAIL_FROM: 'Order relay <relay@roma.example>' }),
      OUTBOX_TICK_MS: '1000',
    };
    const relay = RelayProcess.start(folder, settings, QUICK_START);
    const remove = () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      removeSocketFolder(relay.databaseFolder);
    };
    closers.push(remove, () => relay.stop());
    // at any exit of the demo: the relay first, then its folder
    process.once('exit', () => {
      relay.kill();
      remove();
    });
    return { process: relay, url: await relay.started(stillStarting), admin, terminalToken };
  };
  const wanted = process.env.PORT;
  // a port from the environment is not replaced
  if (wanted) return start(wanted);
  const port = await freePort();
  return start(port).catch((error: Error) => {
    // another process has taken the port
    if (port !== 0 && error.message.includes('EADDRINUSE')) return start(0);
    throw error;
  });
}

/** The database creates a folder for its socket where the path of the temporary folder is too long. */
function removeSocketFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // it was the temporary folder itself
  }
}

/** @returns the default port if it is free, else 0 */
async function freePort(): Promise<number> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(DEFAULT_PORT, HOST, () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? DEFAULT_PORT : 0;
}
