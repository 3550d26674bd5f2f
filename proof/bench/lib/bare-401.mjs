// The least that refusing a request costs: a server of Node that answers 401 to everything.
import { createServer } from 'node:http';
import { serve } from '../../load/processes.mjs';

const BODY = JSON.stringify({ statusCode: 401 });
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length };

const server = createServer((_, response) => response.writeHead(401, HEADERS).end(BODY));

serve({
  /** @returns its URL */
  listen: () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
    }),
});
