import { createServer } from 'node:net';

/** The relay cannot listen at its address; the message states the remedy. */
export class ListenError extends Error {}

/**
 * Checks whether the relay can listen at the address, before the start does anything else (S17).
 * @throws ListenError
 */
export async function tryPort(port: number, host: string): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  } catch (error) {
    throw listenError(error, port, host);
  } finally {
    server.close();
  }
}

/** @returns a ListenError with the remedy; an error without a known remedy is returned unchanged */
export function listenError(error: unknown, port: number, host: string): Error {
  const { code } = error as NodeJS.ErrnoException;
  const remedy = REMEDIES[code ?? '']?.(port, host);
  return remedy ? new ListenError(`${remedy} (${code})`) : (error as Error);
}

const REMEDIES: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port) =>
    `port ${port} is taken. Choose another with PORT=${port === 65_535 ? port - 1 : port + 1}, or stop what listens there: ` +
    `ss -ltnp 'sport = :${port}' names it on Linux, lsof -i :${port} elsewhere`,
  EACCES: (port) => `this user may not listen at port ${port}. Choose one above 1023 with PORT=`,
  EADDRNOTAVAIL: (_, host) =>
    `HOST ${host} is no address of this machine. Choose one of its own, or 0.0.0.0 for all of them`,
  ENOTFOUND: (_, host) => `HOST ${host} is not known. Choose an address of this machine, or 0.0.0.0 for all of them`,
};
