import type { RemedySteps, Step } from './remedy.js';

const SEND: Step = { say: 'Then send this order again.', act: 'send' };
const OR_ENTER: Step = { say: 'Or enter it in the till by hand, and press “Entered by hand”.', act: 'entered' };
const WORKS_AGAIN: Step = { say: 'Check that the POS works again.' };

/** What to do with one order that is parked, step by step: for the page of an order, which alone reads it. */
export const en: RemedySteps = {
  refused_product: [
    { say: 'Say what the POS calls the product: the order is then sent again with this code.', act: 'map' },
    { say: 'If the POS has no such product, make the product there, with the code that the terminal sends.' },
    { say: 'If you did that, send this order again.', act: 'send' },
    OR_ENTER,
  ],
  refused_store: [{ say: 'An owner or administrator corrects the store code in the set-up.' }, SEND],
  refused_credentials: [{ say: 'An owner or administrator sets the right POS credentials in the set-up.' }, SEND],
  refused_other: [{ say: 'Mend in the POS what it says above.' }, SEND, OR_ENTER],
  unanswered: [{ say: 'Check that the POS is on and has a network.' }, SEND, OR_ENTER],
  failing: [WORKS_AGAIN, SEND, OR_ENTER],
  busy: [WORKS_AGAIN, SEND, OR_ENTER],
  sign_in: [{ say: 'An owner or administrator sets the right POS credentials in the set-up.' }, SEND],
  no_code_store_pos: [{ say: 'An owner or administrator completes the set-up.' }, SEND],
  no_currency: [{ say: 'An owner or administrator sets the currency in the set-up.' }, SEND],
  no_credentials: [{ say: 'An owner or administrator completes the set-up.' }, SEND],
  unmappable: [
    { say: 'Enter the sale in the till by hand, and press “Entered by hand”.' },
    { say: 'Show the field above to the operator of the terminal: what it sends must change.' },
  ],
  refund: [{ say: 'Enter the refund in the till by hand, and press “Entered by hand”.' }],
  unconfirmed: [
    { say: 'Look in the till.' },
    { say: 'If the order is there, press “It is in the till”: it is not sent again.', act: 'entered' },
    { say: 'If it is not there, send it again: the relay looks it up first.', act: 'send' },
  ],
  lost: [
    { say: 'Look in the till, or have the restaurant look: the order may be there.' },
    { say: 'If it is there, press “It is in the till”: it is not sent again.', act: 'entered' },
    { say: 'If it is not there, send it again.', act: 'send' },
  ],
  internal: [SEND, { say: 'If it is parked again, show this page to the operator.' }, OR_ENTER],
  withdrawn: [{ say: 'Nothing: it was cancelled.' }],
  other: [{ say: 'Show this page to the operator.' }],
};
