import type { RemedyTexts } from './remedy.js';

const always = (text: string) => [text, text] as const;

/** Each cause in the words of the people of a restaurant: the one place for pages, mails and push (R40, G8). */
export const en: RemedyTexts = {
  refused_product: {
    cause: 'the POS does not know a product of it',
    reason: ['the POS does not know a product', 'the POS does not know a product of them'],
    inShort: 'Say what the POS calls the product.',
  },
  refused_store: {
    cause: 'the POS does not know the store code',
    reason: always('the POS does not know the store code'),
    inShort: 'Correct it in the set-up, then send again.',
  },
  refused_credentials: {
    cause: 'the POS does not allow it with these credentials',
    reason: always('the POS does not allow it with these credentials'),
    inShort: 'Set the right POS credentials in the set-up, then send again.',
  },
  refused_other: {
    cause: 'the POS refused it',
    reason: ['the POS refused it', 'the POS refused them'],
    inShort: 'Read what the POS says, mend that in the POS, then send again.',
  },
  unanswered: {
    cause: 'the POS does not answer',
    reason: always('the POS did not answer for too long'),
    inShort: 'Check that the POS is on and has a network, then send again.',
  },
  failing: {
    cause: 'the POS answers with an error',
    reason: always('the POS answered with errors for too long'),
    inShort: 'Check that the POS works again, then send again.',
  },
  busy: {
    cause: 'the POS cannot accept it at the moment',
    reason: always('the POS was busy for too long'),
    inShort: 'Check that the POS works again, then send again.',
  },
  sign_in: {
    cause: 'the POS refuses the sign-in',
    reason: always('the POS refuses the sign-in of this restaurant'),
    inShort: 'Set the right POS credentials in the set-up, then send again.',
  },
  no_code_store_pos: {
    cause: 'the store code at the POS is missing',
    reason: always('the store code is missing in the set-up'),
    inShort: 'Complete the set-up, then send again.',
  },
  no_currency: {
    cause: 'the currency of the restaurant is missing',
    reason: always('the currency is missing in the set-up'),
    inShort: 'Set the currency in the set-up, then send again.',
  },
  no_credentials: {
    cause: 'POS credentials are missing, or cannot be decrypted',
    reason: always('the POS credentials are missing in the set-up'),
    inShort: 'Complete the set-up, then send again.',
  },
  unmappable: {
    cause: 'the sale cannot be mapped to an order',
    reason: ['a part of the sale is missing or wrong', 'a part of each sale is missing or wrong'],
    inShort: 'Enter it in the till by hand. Show the details to the operator of the terminal.',
    inCommon:
      'Several restaurants have it at once: most likely it is one fault of a sender. Have it mended at the terminal platform first. Each restaurant enters its own orders in the till by hand.',
  },
  refund: {
    cause: 'it is a refund, which is entered in the till by hand',
    reason: ['it is a refund', 'they are refunds'],
    inShort: 'Enter it in the till by hand.',
  },
  unconfirmed: {
    cause: 'it may have arrived, and the POS has not said whether it has it',
    reason: ['it may be there, but the POS does not say', 'they may be there, but the POS does not say'],
    inShort: 'Look in the till first. Send again only what is not there.',
  },
  lost: {
    cause: 'the relay was interrupted, or the POS did not acknowledge it in time',
    reason: [
      'the relay was interrupted, or the POS did not acknowledge it',
      'the relay was interrupted, or the POS did not acknowledge them',
    ],
    inShort: 'Look in the till first. Send again only what is not there.',
  },
  internal: {
    cause: 'the relay could not send it',
    reason: ['the relay could not send it', 'the relay could not send them'],
    inShort: 'Send again. If it stays, show the details to the operator.',
  },
  withdrawn: {
    cause: 'it was cancelled before it was sent',
    reason: ['it was cancelled', 'they were cancelled'],
    inShort: 'Nothing is to be done.',
  },
  other: {
    cause: 'it failed',
    reason: always('the reason is not known'),
    inShort: 'Show the details to the operator.',
  },
};
