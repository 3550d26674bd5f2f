/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** names in lower case; of a repeated header the last */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const END_OF_HEAD = '\r\n\r\n';

/**
 * Reads what a server has sent so far; interim answers are left out.
 * @param isHead answers have no body
 * @returns the answers, the last of them perhaps unfinished; how many are complete, and of how many the head is
 */
export function readAnswers(
  bytes: Buffer,
  isHead: boolean,
): { answers: RawAnswer[]; complete: number; headOnly: number } {
  const answers: RawAnswer[] = [];
  let complete = 0;
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(END_OF_HEAD, at);
    if (end < 0) break;
    const { status, headers } = readHead(bytes.subarray(at, end).toString('latin1'));
    at = end + END_OF_HEAD.length;
    if (status >= 100 && status < 200) continue;
    const { body, length, isComplete } = isHead ? NO_BODY : readBody(bytes.subarray(at), status, headers);
    answers.push({ status, headers, body });
    if (!isComplete) break;
    complete++;
    at += length;
  }
  return { answers, complete, headOnly: answers.length };
}

const NO_BODY = { body: '', length: 0, isComplete: true };

function readHead(head: string): { status: number; headers: Map<string, string> } {
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  // without a valid status line the status is 0, which no rule allows
  return { status: Number(/^HTTP\/1\.1 (\d{3})\b/.exec(first)?.[1] ?? 0), headers };
}

function readBody(bytes: Buffer, status: number, headers: ReadonlyMap<string, string>) {
  if (status === 204 || status === 304) return NO_BODY;
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes);
  const length = Number(headers.get('content-length') ?? bytes.length);
  return { body: bytes.subarray(0, length).toString(), length, isComplete: bytes.length >= length };
}

function readChunks(bytes: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = end < 0 ? Number.NaN : Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    const next = end + 2 + size + 2;
    if (!(next <= bytes.length))
      return { body: Buffer.concat(chunks).toString(), length: bytes.length, isComplete: false };
    if (size === 0) return { body: Buffer.concat(chunks).toString(), length: next, isComplete: true };
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = next;
  }
}
