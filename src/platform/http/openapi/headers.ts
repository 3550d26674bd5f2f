import type { OpenAPIObject } from '@nestjs/swagger';
import type { Method, Operation } from './errors.js';

type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

/**
 * The headers of answers, by name (H15). A `required` header is in every answer of a response that names it. No operation names
 * `Allow`: the table of codes describes it (405).
 */
export const HEADERS: Headers = {
  'X-Request-Id': {
    required: true,
    description: 'the id of the request, as sent or made; `requestId` of an error and of the log',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'seconds after which to send the request again',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { required: true, description: 'the authentication scheme', schema: { type: 'string' } },
  'Content-Disposition': {
    required: true,
    description: '`attachment`, with the name of the file',
    schema: { type: 'string' },
  },
  ETag: {
    required: true,
    description: 'weak; send it as `If-None-Match`, and the same answer is a 304 without a body',
    schema: { type: 'string' },
  },
  'Console-Pace': {
    description: 'below /console/api, while the instance is busy: seconds that a page waits before it requests again',
    schema: { type: 'integer' },
  },
};

/** Adds to each response of an operation the headers it may carry. */
export function addHeaders({ responses, security = [] }: Operation, method: Method): void {
  for (const [status, response] of Object.entries(responses)) {
    if (!response || '$ref' in response) continue;
    const retries =
      status === '429' || (status === '503' && /TOO_MANY|SECRET_UNREADABLE/.test(JSON.stringify(response)));
    const isRead = method === 'get' && status.startsWith('2') && security.length > 0;
    const isFile = response.description.endsWith('as an attachment');
    const isTagged = responses['304'] !== undefined && ['200', '304'].includes(status);
    response.headers = {
      ...response.headers,
      ...refer('X-Request-Id'),
      ...(retries && refer('Retry-After')),
      ...(status === '401' && refer('WWW-Authenticate')),
      ...(isRead && refer('Console-Pace')),
      ...(isFile && refer('Content-Disposition')),
      ...(isTagged && refer('ETag')),
    };
  }
}

const refer = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });
