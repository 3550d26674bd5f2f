import { useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

/** Writes the business days of a file. */
export function useDays(): (days: { readonly from: string; readonly to: string }) => string {
  const { day: texts } = useTexts();
  const { shortDay } = useFormats();
  return ({ from, to }) => (from === to ? texts.one(shortDay(from)) : texts.span(shortDay(from), shortDay(to)));
}
