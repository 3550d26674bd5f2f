import { errorCodes } from '../../platform/http/error-codes.js';

export const FILE_CODES = errorCodes({
  FEW_SALES_FOUND: [
    409,
    "fewer than 90 % of the payments of the terminal's file are found; `figures` and `message` say what it would say of the others; only with `claim`: false",
  ],
  FILE_CONFIRMED: [409, "the terminal's file is confirmed"],
  FILE_NOT_CONFIRMED: [409, "the terminal's file is not confirmed yet"],
  ROW_NOT_OPEN: [409, "the row of the terminal's file has another answer by now; read it again"],
  TOO_MANY_FILES: [409, '20 files of the restaurant wait to be confirmed: confirm or remove one'],
  FILE_REFUSED: [422, "the terminal's file cannot be read; `message` names the line and the reason"],
  TOO_MANY_UPLOADS: [429, 'other files of the restaurant, or of the user, are being read just now: send it again'],
  TOO_MUCH_FILE_WORK: [503, "too many terminal's files are being read just now: send it again", 'beyond a bound'],
});
