import { errorCodes } from '../../platform/http/error-codes.js';

export const TICKET_CODES = errorCodes({
  TOO_MANY_PRINTERS: [409, 'the restaurant has 10 printers'],
});
