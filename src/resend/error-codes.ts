import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  RESEND_OFF: [403, 'RESEND does not allow staff to send orders again'],
  ORDER_DELIVERED: [409, 'the POS has the order'],
  ORDER_CANCELLED: [409, 'the order was cancelled'],
  ORDER_ERASED: [409, 'the content of the sale was erased'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
