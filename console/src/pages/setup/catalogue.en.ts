import { isolated } from '../../i18n/isolated.js';
import { plural } from '../../i18n/texts.js';

const duplicates = plural('en', { one: '# row stands twice.', other: '# rows stand twice.' });
const unreadable = plural('en', { one: '# cell cannot be read.', other: '# cells cannot be read.' });

/** The catalogue of the POS. */
export const catalogueEn = {
  title: 'Catalogue of the POS',
  help: 'A CSV file of the products that the POS knows, with the columns code, name and price. The relay then warns of sold products that the POS does not know. Nothing is refused for it.',
  none: 'No catalogue yet.',
  standing: (count: string, at: string, by: string | null) =>
    `${count} products, since ${at}${by === null ? '' : ` by ${isolated(by)}`}.`,
  choose: 'Choose a file',
  tooLarge: 'The file is larger than 5 MB.',
  busy: 'Another file is being read just now. Try again in a moment.',
  changedMeanwhile: 'Somebody else has changed the catalogue meanwhile. Choose the file again.',
  preview: 'What the file changes',
  figures: (count: string, added: string, changed: string, removed: string) =>
    `${count} products in the file: ${added} new, ${changed} changed, ${removed} removed.`,
  duplicates,
  same: 'The catalogue has these products already.',
  unreadable: (count: number) => `${unreadable(count)} Correct the file: nothing of it is taken until then.`,
  problem: (line: number, column: string, reason: string) => `Line ${line}, ${isolated(column)}: ${isolated(reason)}`,
  firstRows: 'The first products of the file',
  code: 'Code',
  name: 'Name',
  price: 'Price',
  replace: 'Replace the catalogue',
  leave: 'Leave it',
  replaced: plural('en', { one: 'The catalogue has # product now.', other: 'The catalogue has # products now.' }),
  remove: 'Remove the catalogue',
  removeTitle: 'Remove the catalogue of the POS?',
  removeHelp: 'Sales have no warning of unknown products any more. Orders are sent as before.',
  removed: 'The catalogue is removed.',
};
