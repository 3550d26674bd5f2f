import { getSchemaPath } from '@nestjs/swagger';
import { describePost } from '../http/openapi.js';
import { refusals } from '../http/openapi-errors.js';
import { AcceptedView, TerminalEventDto, TRANSACTION_EXAMPLES } from './webhook.dto.js';
import { WEBHOOK_PATH } from './webhook.route.js';

// what the decorators of a controller would say
const operation: Parameters<typeof describePost>[1] = {
  operationId: 'receiveTransaction',
  summary: 'Receives a transaction of a terminal',
  description:
    'Stores the transaction and answers; the order is delivered to the POS afterwards.\n\nA caller ' +
    'authenticates by a JWT, the static terminal token (both Bearer), Basic credentials, or `email` ' +
    'and `password` in the body. The restaurant is the one whose `codeStoreTerminal` equals ' +
    '`storeCode`, or the one named by `restaurantId`.\n\nThe same `transactionKey` again is a 400 ' +
    '`DUPLICATE_TRANSACTION` that carries the `jobId` of the first; for a test transaction it is a ' +
    '200 with that `jobId`.',
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
