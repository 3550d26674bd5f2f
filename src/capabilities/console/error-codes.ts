import { errorCodes } from '../../platform/http/error-codes.js';

export const CONSOLE_CODES = errorCodes({
  CROSS_SITE: [403, 'below /console only pages of this origin may call'],
});
