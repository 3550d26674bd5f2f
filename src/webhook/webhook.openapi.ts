import { getSchemaPath } from '@nestjs/swagger';
import { describePost } from '../http/openapi.js';
import { refusals } from '../http/openapi-errors.js';
import { AcceptedView, TerminalEventDto, TRANSACTION_EXAMPLES } from './webhook.dto.js';
import { WEBHOOK_PATH } from './webhook.route.js';

// in place of a controller's decorators
const operation: Parameters<typeof describePost>[1] = {
  operationId: 'receiveTransaction',
  summary: 'Receives a transaction of a terminal',
  description:
    'Stores the transaction and answers; the order is delivered to the POS afterwards.\n\nA caller ' +
    'authenticates by a JWT, the static terminal token (both Bearer), Basic credentials, or `email` ' +
    'and `password` in the body. The restaurant is found by its `codeStoreTerminal`, which must equal ' +
    '`storeCode`, or by its `restaurantId`.\n\nA `transactionKey` that is stored already is a ' +
    '400 `DUPLICATE_TRANSACTION` with the `jobId` of the stored sale; for a test transaction it is ' +
    'a 200 with that `jobId`.',
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
  ...refusals('INVALID_TRANSACTION', 'DUPLICATE_TRANSACTION', 'NO_OWNER_LINK', 'UNKNOWN_STORE'),
  ...refusals('UNAUTHENTICATED', 'TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS'),
};

describePost(WEBHOOK_PATH, operation, [TerminalEventDto, AcceptedView]);
