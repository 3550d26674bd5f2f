import { plural } from '../../i18n/texts.js';

export const deciding = {
  enter: {
    button: 'Entered by hand',
    what: (amount: string, at: string) => `${amount}, ${at}`,
    title: (amount: string) => `Is the sale of ${amount} in the POS now?`,
    help: 'Nothing is sent to the POS: enter the sale there first.',
    note: 'Note',
    noteHelp: 'For example the number of the order in the POS. The audit keeps it.',
    action: 'Yes, it is entered',
  },
  accept: 'Yes, the same',
  refuse: 'No, another one',
  decided: {
    enter: 'Noted: it was entered by hand.',
    accept: 'Noted: it is the same sale.',
    check: 'Noted: it is done.',
    undo: 'Undone: the row is as it was before.',
    refuse: 'Noted: it is another sale. Without one that fits, it is now among those that never reached us.',
  },
  decisions: { ENTERED: 'Entered by hand', ACCEPTED: 'Accepted: the same sale', CHECKED: 'Done' },
  refused: plural('en', { one: 'Another sale was refused for it', other: '# other sales were refused for it' }),
  undo: 'Undo',
  accepted: {
    title: plural('en', { one: '# accepted sale', other: '# accepted sales' }),
    help: 'Somebody said that payment and sale are the same.',
  },
  misread: {
    again: 'Read wrong? Read it again',
    remove: 'Remove the file',
    title: 'Remove this file?',
    help: 'Nothing of it counts any more, and its alert closes. What you decided is kept for the next file with the same payments. You can upload the file again.',
  },
};
