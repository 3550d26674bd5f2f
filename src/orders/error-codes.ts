import { errorCodes } from '../platform/http/error-codes.js';

/** Why an order is not sent again. Whatever sends orders again answers with these. */
export const RESEND_CODES = errorCodes({
  RESEND_OFF: [403, 'RESEND does not allow staff to send orders again'],
  ORDER_DELIVERED: [409, 'the POS has the order'],
  ORDER_CANCELLED: [409, 'the order was cancelled'],
  ORDER_ERASED: [409, 'the content of the sale was erased'],
});
