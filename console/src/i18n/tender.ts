import { useSharedTexts } from './shared.js';

interface Tender {
  readonly tenderType: string;
  readonly name: string | null;
}

/**
 * Names tender types in the language: `Credit card`; with the number where another has the same name; by the number alone where
 * the relay knows no name.
 * @param shown all tender types of the list
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
