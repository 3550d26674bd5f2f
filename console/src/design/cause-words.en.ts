import { plural } from '../i18n/plural.js';

const THEN_ASK = 'Then send this order again.';
const THEN_SEND = `${THEN_ASK} Or enter it in the till by hand, and cancel the order.`;
const WORKS_AGAIN = `Check that the POS works again.\n${THEN_SEND}`;
const SET_UP = `An owner or administrator completes the set-up.\n${THEN_ASK}`;

/** of which the number does not matter */
const always = (text: string) => (_count: number) => text;
const many = (one: string, other: string) => plural('en', { one, other });

/** Each cause of O30 in the words of the people of a restaurant. */
export const en = {
  /** why one order failed: for the middle of a sentence */
  causes: {
    refused: 'the POS refused it',
    unanswered: 'the POS does not answer',
    failing: 'the POS answers with an error',
    busy: 'the POS cannot accept it at the moment',
    sign_in: 'the POS refuses the sign-in',
    no_code_store_pos: 'the code of the store at the POS is missing',
    no_credentials: 'POS credentials are missing, or cannot be decrypted',
    unmappable: 'the sale cannot be mapped to an order',
    refund: 'it is a refund, which is entered in the till by hand',
    unconfirmed: 'it may have arrived, and the POS has not said whether it has it',
    lost: 'the relay was interrupted',
    internal: 'the relay could not send it',
    withdrawn: 'it was cancelled before it was sent',
    other: 'it failed',
  },
  /** why so many orders are not in the POS, behind a colon */
  reasons: {
    refused: many('the POS refused it', 'the POS refused them'),
    unanswered: always('the POS did not answer for too long'),
    failing: always('the POS answered with errors for too long'),
    busy: always('the POS was busy for too long'),
    sign_in: always('the POS refuses the sign-in of this restaurant'),
    no_code_store_pos: always('the code of the store is missing in the set-up'),
    no_credentials: always('the POS credentials are missing in the set-up'),
    unmappable: many('a part of the sale is missing or wrong', 'a part of each sale is missing or wrong'),
    refund: many('it is a refund', 'they are refunds'),
    unconfirmed: many('it may be there, but the POS does not say', 'they may be there, but the POS does not say'),
    lost: many('the relay was interrupted while it sent it', 'the relay was interrupted while it sent them'),
    internal: many('the relay could not send it', 'the relay could not send them'),
    withdrawn: many('it was cancelled', 'they were cancelled'),
    other: always('the reason is not known'),
  },
  /** what to do, in one line */
  inShort: {
    refused: 'Open one to read what the POS says, fix that in the POS, then send again.',
    unanswered: 'Check that the POS is on and has a network, then send again.',
    failing: 'Check that the POS works again, then send again.',
    busy: 'Check that the POS works again, then send again.',
    sign_in: 'Set the right POS credentials in the set-up, then send again.',
    no_code_store_pos: 'Complete the set-up, then send again.',
    no_credentials: 'Complete the set-up, then send again.',
    unmappable: 'Enter it in the till by hand, and show the details to the operator of the terminal.',
    refund: 'Enter it in the till by hand.',
    unconfirmed: 'Check the till before you send again.',
    lost: 'Check the till before you send again.',
    internal: 'Show the details to the operator.',
    withdrawn: 'Nothing is to be done.',
    other: 'Show the details to the operator.',
  },
  /** what to do with one order that is parked; a step in each line */
  remedies: {
    refused: `Fix the cause in the POS: for an unknown product, enter it there with the code that the terminal sends.\n${THEN_SEND}`,
    unanswered: `Check that the POS is on and has a network.\n${THEN_SEND}`,
    failing: WORKS_AGAIN,
    busy: WORKS_AGAIN,
    sign_in: `An owner or administrator sets the right POS credentials in the set-up.\n${THEN_ASK}`,
    no_code_store_pos: SET_UP,
    no_credentials: SET_UP,
    unmappable:
      'Enter the sale in the till by hand, and cancel the order.\nShow the field above to the operator of the terminal: what it sends must change.',
    refund: 'Enter the refund in the till by hand, and cancel the order.',
    unconfirmed: 'Check the till. If the order is not there, send it again: the relay looks it up first.',
    lost: `Check the till: the order may be there.\n${THEN_SEND}`,
    internal: 'Show this page to the operator.',
    withdrawn: 'Nothing: it was cancelled.',
    other: 'Show this page to the operator.',
  },
};
