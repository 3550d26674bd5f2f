import { CODES, meaningOf } from '../error-codes.js';

const FIRST_WEBHOOK = `Keeps every sale a payment terminal reports and registers it as an order in the POS of the restaurant.

## A first webhook in four steps

1. **Sign in.** \`POST /auth/login\` with the email and password of an account; the first one is that of \`ADMIN_EMAIL\` and
   \`ADMIN_PASSWORD\`. Copy \`access_token\` into **Authorize**, under *bearer*.
2. **Create a restaurant.** \`POST /restaurants\`. \`codeStoreTerminal\` is the store code that its terminal sends, \`codeStorePos\`
   its code in the POS. You are its OWNER.
3. **Send a sale.** \`POST /webhooks/terminal\`, with the store code of step 2 as \`storeCode\`; it answers with \`jobId\`. Here the
   token of step 1 will do, since you are the OWNER. A terminal has a key of its own, which OWNER and ADMIN make by
   \`POST /restaurants/{restaurantId}/sender-keys\` or in the console. Of kind TOKEN it is the Bearer token of each sale; of kind SIGNING its
   secret signs each sale, which goes to \`POST /webhooks/terminal/{keyId}\`. The other ways are, as Bearer token, the value that the relay was
   started with in \`TERMINAL_BEARER_TOKEN\` (it serves all restaurants; no route shows it), email and password of an OWNER by Basic
   authentication, or a JWT of an OWNER.
4. **See the order.** \`GET /restaurants/{restaurantId}/orders\`, with the \`id\` that step 2 answered. Its \`status\` is PENDING until the
   worker's next tick, and SENT when the POS has it.`;

const ERRORS = `## Errors

Every error has one shape (ErrorView); its \`requestId\` is also in the log and in the \`X-Request-Id\` header. \`code\` is for
programs and stays as it is; \`message\` is for people and may change.`;

/** The description of the OpenAPI document, in Markdown: the first webhook (H16), and the table of error codes (H14). */
export function introduction(): string {
  const rows = CODES.map((code) => `| \`${code}\` | ${meaningOf(code).slice(0, 2).join(' | ')} |`);
  return [FIRST_WEBHOOK, ERRORS, ['| code | status | meaning |', '|---|---|---|', ...rows].join('\n')].join('\n\n');
}
