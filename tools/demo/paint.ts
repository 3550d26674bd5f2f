/** The meaning of a text; shown as a colour. */
export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'wait' | 'bad';

export type Paint = (tone: Tone, text: string) => string;

const STYLES: Record<Tone, string> = {
  plain: '',
  strong: '\u001b[1m',
  dim: '\u001b[2m',
  good: '\u001b[1;32m',
  wait: '\u001b[1;33m',
  bad: '\u001b[1;31m',
};
const RESET = '\u001b[0m';

/** @param colour false: adds no styles */
export function painter(colour: boolean): Paint {
  return (tone, text) => (colour && STYLES[tone] ? `${STYLES[tone]}${text}${RESET}` : text);
}

/** Replaces control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?');
}
