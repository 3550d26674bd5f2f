import { useSharedTexts } from './shared.js';

/** Names a tender type in the language: `Credit card (16)`; one that the relay has no name for by its number alone. */
export function useTenderName(): (tenderType: string, name: string | null) => string {
  const { tenders, unknownTender } = useSharedTexts();
  return (tenderType, name) => {
    const known = name !== null && Object.hasOwn(tenders, name) ? tenders[name as keyof typeof tenders] : name;
    return known === null ? `${unknownTender} ${tenderType}` : `${known} (${tenderType})`;
  };
}
