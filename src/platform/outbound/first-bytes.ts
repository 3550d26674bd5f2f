import { type AnswerText, answerText, headerText } from './answer-text.js';

/**
 * The beginning of an answer, as text (D23). The rest is not read.
 * @param headers as undici has them
 * @param most bytes
 */
export async function firstBytes(
  body: AsyncIterable<Buffer>,
  headers: Readonly<Record<string, unknown>>,
  most: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= most) break;
  }
  const says = { encoding: headerText(headers['content-encoding']), type: headerText(headers['content-type']) };
  const bytes = Buffer.concat(chunks).subarray(0, most);
  const { text }: AnswerText = await answerText(bytes, says, { most, cut: size >= most });
  return text;
}
