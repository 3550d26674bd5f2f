import { CODE_LENGTH, isBlank } from '../../../domain/pos-codes.js';
import { firstCharacters, identifier } from '../../../domain/text.js';

/** A product of a sale: each code once, with the first name that it has. */
export interface SaleLine {
  readonly code: string;
  readonly name: string | null;
}

/** The products of the items of a stored payload, with those of options, and the number of items without a code. Codes beyond L231 cannot be mapped. */
export function linesOf(items: unknown): { readonly lines: readonly SaleLine[]; readonly withoutCode: number } {
  const names = new Map<string, string | null>();
  let withoutCode = 0;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (typeof value === 'object' && value !== null) {
      const { itemCode, itemName, options } = value as Readonly<Record<string, unknown>>;
      const code = identifier(itemCode);
      const name = identifier(itemName);
      if (code === null || isBlank(code)) withoutCode += 1;
      else if (code.length <= CODE_LENGTH)
        names.set(code, names.get(code) ?? (name && firstCharacters(name, CODE_LENGTH)));
      visit(options);
    }
  };
  visit(items);
  return { lines: [...names].map(([code, name]) => ({ code, name })), withoutCode };
}
