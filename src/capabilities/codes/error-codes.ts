import { errorCodes } from '../../platform/http/error-codes.js';

export const CODES_CODES = errorCodes({
  CATALOGUE_CHANGED: [409, 'the catalogue was changed meanwhile: send the file again'],
  ORDER_NOT_REFUSED: [409, 'the POS has not refused the order'],
  TOO_MANY_CODES: [409, 'the restaurant has 5,000 codes of this kind'],
});
