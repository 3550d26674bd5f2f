// Loaded before the relay (`node --import`): writes the first statement that locks due jobs to CLAIM_FILE, then is gone.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { Client } = createRequire(process.argv[1])('pg');
const { query } = Client.prototype;

Client.prototype.query = function (config, values, ...rest) {
  const text = typeof config === 'string' ? config : config?.text;
  if (/SKIP LOCKED/i.test(text) && /SET status = 'PROCESSING'/i.test(text)) {
    const claim = { text, values: config?.values ?? values, name: config?.name };
    writeFileSync(process.env.CLAIM_FILE, JSON.stringify(claim));
    Client.prototype.query = query;
  }
  return query.call(this, config, values, ...rest);
};
