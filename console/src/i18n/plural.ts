import type { Language } from './language.js';

type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/**
 * A text that depends on a number; `#` is the number as the language writes it.
 *
 *     orders: plural('en', { one: '# order', other: '# orders' })
 */
export function plural(language: Language, forms: PluralForms): (count: number) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count) => (forms[rules.select(count)] ?? forms.other).replaceAll('#', () => numbers.format(count));
}
