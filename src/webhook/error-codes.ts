import { errorCodes } from '../platform/http/error-codes.js';

export const SALE_CODES = errorCodes({
  INVALID_TRANSACTION: [400, 'the transaction cannot be stored; `message` lists each field'],
  DUPLICATE_TRANSACTION: [400, 'this `transactionKey` is stored already; `jobId` is its job'],
  TRANSACTION_KEY_REUSED: [400, 'another sale is stored under this `transactionKey`; this one is not registered'],
  NO_OWNER_LINK: [400, 'the sender is not OWNER of a restaurant, or the restaurant has no OWNER'],
  UNKNOWN_STORE: [400, '`storeCode` or `restaurantId` does not lead to one restaurant of the sender'],
});
