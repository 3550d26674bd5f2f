import type { Socket } from 'node:net';

/** The return value of a parser callback that ends parsing, as for an upgrade. */
const UPGRADE = 2;

/** Members of a parser of Node: one without a documented name calls back for each piece of a body. */
type Parser = { onIncoming?: () => number } & Record<string, unknown>;

/**
 * Ends the work with what Node has read of a connection that is being closed: it reads 64 KiB at a time, and a thousand requests, or eleven
 * thousand chunks of a body, take 20 ms. Node has no interface for it. Where its parser has no such members, this has no effect.
 */
export function skipWhatWasRead(socket: Socket): void {
  const { parser } = socket as { parser?: Parser | null };
  if (!parser) return;
  if (parser.onIncoming) parser.onIncoming = () => UPGRADE;
  const onBody = Object.keys(parser).find((key) => (parser[key] as { name?: string } | null)?.name === 'parserOnBody');
  if (onBody === undefined) return;
  const callback = parser[onBody];
  parser[onBody] = undefined;
  // Node gives the parser to another connection then
  socket.prependOnceListener('close', () => {
    parser[onBody] = callback;
  });
}
