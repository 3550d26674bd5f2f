import { useSharedTexts } from './shared.js';

interface Tender {
  readonly tenderType: string;
  readonly name: string | null;
}

/**
 * Names tender types in the language: `Credit card`; with its number where another one has the same name, as two networks of cards
 * do; and one that the relay has no name for by its number alone.
 * @param shown all that stand beside each other
 */
export function useTenderName(shown: readonly Tender[]): (tender: Tender) => string {
  const { tenders, unknownTender, ofType } = useSharedTexts();
  const names = shown.map(({ name }) => name);
  return ({ tenderType, name }) => {
    if (name === null) return `${unknownTender} ${tenderType}`;
    const known = Object.hasOwn(tenders, name) ? tenders[name as keyof typeof tenders] : name;
    return names.indexOf(name) === names.lastIndexOf(name) ? known : `${known}, ${ofType} ${tenderType}`;
  };
}
