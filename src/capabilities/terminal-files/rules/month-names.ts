// The words of dates in English, Portuguese, Spanish, German, French and Italian, in lower case without accents.

/** The names of each month. Files shorten them to three letters or more. */
const MONTHS: readonly string[] = [
  'january janeiro enero januar janner janvier gennaio',
  'february fevereiro febrero februar feber fevrier febbraio',
  'march marco marzo marz maerz mrz mars',
  'april abril avril aprile',
  'may maio mayo mai maggio',
  'june junho junio juni juin giugno',
  'july julho julio juli juillet luglio',
  'august agosto aout',
  'september setembro septiembre setiembre septembre settembre',
  'october outubro octubre oktober octobre ottobre',
  'november novembro noviembre novembre',
  'december dezembro diciembre dezember decembre dicembre',
];
const SHORTEST = 3;
const WEEKDAY =
  /^(?:mon|tue|wed|thu|fri|sat|sun|seg|ter|qua|qui|sex|sab|dom|lun|mar|mie|jue|vie|mo|di|mi|do|fr|sa|so|mer|jeu|ven|sam|dim|gio)[a-z-]*\.?,?\s+/;

/** Each name and each shortening of it; null: of two months. */
const KNOWN = new Map<string, number | null>();
for (const [place, names] of MONTHS.entries())
  for (const name of names.split(' '))
    for (let length = SHORTEST; length <= name.length; length++) {
      const short = name.slice(0, length);
      const known = KNOWN.get(short);
      KNOWN.set(short, known === undefined || known === place + 1 ? place + 1 : null);
    }

/** The month that a word names, from 1; undefined: none, or two. */
export function monthOf(word: string): number | undefined {
  return KNOWN.get(word) ?? undefined;
}

/** A date without the day of the week before it. */
export function withoutWeekday(text: string): string {
  return text.replace(WEEKDAY, '');
}
