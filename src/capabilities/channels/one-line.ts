/** A text as one line without control characters, so that it can be a subject or a title. @param most characters; a longer text is cut */
export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const characters = [...line];
  return (characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line).toWellFormed();
}
