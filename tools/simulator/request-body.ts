import type { IncomingMessage } from 'node:http';

/** The limit of a body: 1 MiB. */
export const BODY_LIMIT_BYTES = 1_048_576;

/** The text of the body; undefined when it is above the limit. It is read to its end, so that the caller reads the answer. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return bytes <= BODY_LIMIT_BYTES ? Buffer.concat(chunks).toString() : undefined;
}

/** @returns the JSON value; undefined when the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
