import { getSchemaPath } from '@nestjs/swagger';
import { describePost } from '../platform/http/openapi/document.js';
import { refusals } from '../platform/http/openapi/errors.js';
import { SALE_CODES } from './error-codes.js';
import { AcceptedView, TerminalEventDto, TRANSACTION_EXAMPLES } from './webhook.dto.js';
import { SIGNED_WEBHOOK_PATH, WEBHOOK_PATH } from './webhook.route.js';

// in place of a controller's decorators
const operation: Parameters<typeof describePost>[1] = {
  operationId: 'receiveTransaction',
  summary: 'Receives a transaction of a terminal',
  description:
    'Stores the transaction and answers; the order is delivered to the POS afterwards.\n\nA caller ' +
    'authenticates by a JWT, the static terminal token or the token of a sender key (all Bearer), Basic credentials, or `email` ' +
    'and `password` in the body. A sender key of a restaurant sends for this restaurant. Else the restaurant is found by its `codeStoreTerminal`, which must equal ' +
    '`storeCode`, or by its `restaurantId`.\n\nA `transactionKey` that is stored already is a ' +
    '400 `DUPLICATE_TRANSACTION` with the `jobId` of the stored sale; for a test transaction it is ' +
    'a 200 with that `jobId`. Another sale under such a key, with other amounts, items or payments, is a 400 `TRANSACTION_KEY_REUSED`: ' +
    'it is not registered, and the restaurant is notified.',
  tags: ['webhook'],
  parameters: [],
  security: [{ basic: [] }, { bearer: [] }],
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: getSchemaPath(TerminalEventDto) }, examples: TRANSACTION_EXAMPLES },
    },
  },
  responses: {
    200: {
      description: 'stored; the order will be delivered',
      content: { 'application/json': { schema: { $ref: getSchemaPath(AcceptedView) } } },
    },
  },
  ...refusals(
    SALE_CODES.INVALID_TRANSACTION,
    SALE_CODES.DUPLICATE_TRANSACTION,
    SALE_CODES.TRANSACTION_KEY_REUSED,
    SALE_CODES.NO_OWNER_LINK,
    SALE_CODES.UNKNOWN_STORE,
  ),
  ...refusals('UNAUTHENTICATED', 'MISSING_SCOPE', 'TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS', 'TOO_MANY_AT_ONCE'),
};

const header = (name: string, description: string) =>
  ({ in: 'header', name, required: true, description, schema: { type: 'string' } }) as const;

/** Standard Webhooks 1.0.0 (V8). */
const signed: typeof operation = {
  operationId: 'receiveSignedTransaction',
  summary: 'Receives a signed transaction of a terminal',
  description:
    'As `POST /webhooks/terminal`, with a signature of Standard Webhooks 1.0.0 in place of credentials: HMAC-SHA256 of ' +
    '`webhook-id.webhook-timestamp.body`, with the secret of the sender key.',
  tags: ['webhook'],
  parameters: [
    {
      in: 'path',
      name: 'keyId',
      required: true,
      schema: { type: 'string' },
      description: 'the `keyId` of a sender key',
    },
    header('webhook-id', '1 to 255 printable ASCII characters, the same for each repeat'),
    header('webhook-timestamp', 'seconds since 1970, at most 300 s off'),
    header('webhook-signature', '1 to 10 signatures, `v1,` and base64, separated by spaces'),
  ],
  security: [],
  requestBody: operation.requestBody,
  responses: operation.responses,
  ...refusals(
    SALE_CODES.INVALID_TRANSACTION,
    SALE_CODES.DUPLICATE_TRANSACTION,
    SALE_CODES.TRANSACTION_KEY_REUSED,
    SALE_CODES.NO_OWNER_LINK,
    SALE_CODES.UNKNOWN_STORE,
  ),
  ...refusals('UNAUTHENTICATED', 'MISSING_SCOPE', 'SECRET_UNREADABLE'),
};

describePost(WEBHOOK_PATH, operation, [TerminalEventDto, AcceptedView]);
describePost(SIGNED_WEBHOOK_PATH, signed, []);
