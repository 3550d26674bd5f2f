import type { Server } from 'node:http';

/**
 * Puts a step before the listeners that an event of the server has now, such as those of Node and Fastify.
 * @param step must call `begin` once to pass the event on, now or later, or not at all
 */
export function beforeListeners<Args extends unknown[]>(
  server: Server,
  event: 'connection' | 'request',
  step: (begin: () => void, ...args: Args) => void,
): void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  server.on(event, (...args: unknown[]) => {
    const begin = () => {
      for (const listener of listeners) Reflect.apply(listener, server, args);
    };
    step(begin, ...(args as Args));
  });
}
