import { errorCodes } from '../http/error-codes.js';

/** What work with any file may be answered. */
export const FILE_WORK_CODES = errorCodes({
  FILE_REFUSED: [422, 'the file cannot be read; `message` names the line and the reason'],
  TOO_MANY_UPLOADS: [429, 'other files of the restaurant, or of the user, are being read just now: send it again'],
  TOO_MUCH_FILE_WORK: [503, 'too many files are being read just now: send it again', 'beyond a bound'],
});
