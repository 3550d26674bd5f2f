import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RelayProcess } from './relay-process.js';
import type { Login } from './terminal.js';

const HOST = '127.0.0.1';
const NICE_PORT = 3000;

export interface OpenRelay {
  readonly process: RelayProcess;
  readonly url: string;
  readonly admin: Login;
  /** TERMINAL_BEARER_TOKEN */
  readonly terminalToken: string;
}

/**
 * Starts a relay that nothing of the user's can reach into, in a temporary folder that only its owner can enter.
 * @param closers get what ends it and removes the folder
 * @param stillStarting is called every second until it is up, with the ms since it was begun
 */
export async function openRelay(
  posUrl: string,
  closers: (() => Promise<void> | void)[],
  stillStarting: (ms: number) => void,
): Promise<OpenRelay> {
  const admin = { email: 'owner@roma.example', password: randomBytes(12).toString('hex') };
  const terminalToken = `demo-${randomBytes(4).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'relay-demo-'));
  const start = async (port: number | string): Promise<OpenRelay> => {
    const relay = RelayProcess.start(folder, {
      DATA_DIR: folder,
      HOST,
      PORT: String(port),
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      TERMINAL_BEARER_TOKEN: terminalToken,
      POS_BASE_URL: posUrl,
      OUTBOX_PACE: 'eager',
      OUTBOX_TICK_MS: '1000',
    });
    const remove = () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      removeSocketFolder(relay.databaseFolder);
    };
    closers.push(remove, () => relay.stop());
    // however the demo ends: the relay first, then what it writes to
    process.once('exit', () => {
      relay.kill();
      remove();
    });
    return { process: relay, url: await relay.started(stillStarting), admin, terminalToken };
  };
  const wanted = process.env.PORT;
  // asked for by name, it is that one or none
  if (wanted) return start(wanted);
  const port = await nicePort();
  return start(port).catch((error: Error) => {
    // somebody was quicker to take the port
    if (port !== 0 && error.message.includes('EADDRINUSE')) return start(0);
    throw error;
  });
}

/** Where the temporary folder's path is too long for a socket, the database has made a folder beside it. */
function removeSocketFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // it was the temporary folder itself
  }
}

/** A port that is easy to remember, if it is free; else any. */
async function nicePort(): Promise<number> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(NICE_PORT, HOST, () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? NICE_PORT : 0;
}
