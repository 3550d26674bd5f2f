import { FILE_WORK_CODES } from '../../platform/files/error-codes.js';
import { errorCodes } from '../../platform/http/error-codes.js';

export const FILE_CODES = {
  ...FILE_WORK_CODES,
  ...errorCodes({
    FEW_SALES_FOUND: [
      409,
      "fewer than 90 % of the payments of the terminal's file are found; `figures` and `message` say what it would say of the others; only with `claim`: false",
    ],
    FILE_CONFIRMED: [409, "the terminal's file is confirmed"],
    FILE_NOT_CONFIRMED: [409, "the terminal's file is not confirmed yet"],
    ROW_NOT_OPEN: [409, "the row of the terminal's file has another answer by now; read it again"],
    TOO_MANY_FILES: [409, '20 files of the restaurant wait to be confirmed: confirm or remove one'],
  }),
};
