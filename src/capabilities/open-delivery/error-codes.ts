import { errorCodes } from '../../platform/http/error-codes.js';

export const POS_CODES = errorCodes({
  TOO_MANY_CREDENTIALS: [409, '5 credentials of the POS of this restaurant work'],
  CREDENTIALS_ENDED: [409, 'these credentials were replaced, or do not work any more'],
  ORDER_NOT_ACKNOWLEDGED: [
    503,
    'the order was refused and sent again, and its new event is not acknowledged yet',
    'beyond a bound',
  ],
  ORDER_STATE: [422, 'the order cannot get this state: it has it, was cancelled or refused, or was not offered'],
  TOO_MANY_POLLS_A_SECOND: [429, 'these credentials have sent too many requests within a second', 'beyond a bound'],
});
