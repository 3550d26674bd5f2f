// The layouts that are compared: how each changes the tables of an order, and the relay's statements that do not run on it as they are.

/** The tables of an order, with the column that has the time of its sale where they are divided by month. */
export const TABLES = { terminal_events: 'received_at', outbox_jobs: 'sale_at', delivery_attempts: 'sale_at' };

const MONTHS_BACK = 13;

/** A sale is stored when its key is new in `sale_keys`. The relay's `spent_keys` is not needed: keys stay when their month is dropped. */
const STORE_BY_MONTH = [
  [
    '), event AS (',
    `), sale_key AS (
INSERT INTO sale_keys (transaction_key, restaurant_id, source_key, test_mode, received_at, job_id)
SELECT transaction_key, restaurant_id, CASE WHEN test_mode THEN source_key END, test_mode, now(), job_id FROM placed
ORDER BY restaurant_id, transaction_key
ON CONFLICT DO NOTHING
RETURNING transaction_key, restaurant_id
  ), event AS (`,
  ],
  [
    /FROM placed\s+WHERE NOT EXISTS[\s\S]*?ON CONFLICT DO NOTHING/,
    'FROM placed JOIN sale_key USING (transaction_key, restaurant_id)\n    ORDER BY restaurant_id, transaction_key',
  ],
  ['INSERT INTO outbox_jobs (id,', 'INSERT INTO outbox_jobs (sale_at, id,'],
  [
    `SELECT job_id, transaction_key, restaurant_id, 'CREATE'`,
    `SELECT now(), job_id, transaction_key, restaurant_id, 'CREATE'`,
  ],
];
const EVENT_BY_MONTH = [
  ['RETURNING job.id,', 'RETURNING job.id, job.sale_at,'],
  [
    'event.restaurant_id = claimed.restaurant_id',
    'event.restaurant_id = claimed.restaurant_id AND event.received_at = claimed.sale_at',
  ],
];
const KEYS_BY_MONTH = `ALTER TABLE sale_keys ADD PRIMARY KEY (transaction_key, restaurant_id);
  CREATE UNIQUE INDEX ON sale_keys (restaurant_id, source_key) WHERE test_mode`;

/**
 * - `divided`: its tables with a partition for each month
 * - `prepare`, `finish`: SQL before and after the tables are filled; `columns`: how new columns are filled, from a sale
 * - `definition`: a constraint or an index of this layout, from that of today; undefined: it has none
 * - `part`: the column that a claim and a settle need besides the id of a job, and how it is read from a claimed job
 * - `rewrite`: changes of the relay's prepared statements, by their label; every other statement runs as it is
 */
export const VARIANTS = {
  today: { prepare: () => '', definition: (text) => text, finish: () => '', rewrite: {}, columns: {} },
  restaurant: {
    part: { column: 'restaurant_id', type: 'uuid', of: (job) => job.restaurantId },
    prepare: () => `ALTER TABLE delivery_attempts ADD restaurant_id uuid NOT NULL;
      CREATE TYPE job_ref AS (id uuid, part uuid)`,
    definition: restaurantFirst,
    finish: () => '',
    rewrite: { claim_by_turns: claimOf('restaurant_id'), settle: settleOf('restaurant_id', 'uuid') },
    columns: { delivery_attempts: { restaurant_id: 'restaurant' } },
  },
  months: {
    part: { column: 'sale_at', type: 'timestamptz', of: (job) => job.receivedAt },
    divided: Object.keys(TABLES),
    prepare: () => divideByMonth(Object.keys(TABLES)),
    definition: withMonth,
    finish: () => KEYS_BY_MONTH,
    rewrite: {
      enqueue: STORE_BY_MONTH,
      claim_by_turns: [...claimOf('sale_at'), ...EVENT_BY_MONTH],
      settle: settleOf('sale_at', 'timestamptz'),
    },
    columns: { outbox_jobs: { sale_at: 'at' }, delivery_attempts: { sale_at: 'at' } },
  },
  sales: {
    divided: ['terminal_events', 'delivery_attempts'],
    prepare: () => `${divideByMonth(['terminal_events', 'delivery_attempts'])};
      ALTER TABLE outbox_jobs ADD sale_at timestamptz(3) NOT NULL`,
    definition: (text, table) => {
      // the attempts of a job are in its month; a foreign key would look for them in every month
      if (text.includes('REFERENCES outbox_jobs')) return undefined;
      return table === 'outbox_jobs' && !text.includes('REFERENCES') ? text : withMonth(text, table);
    },
    finish: () => KEYS_BY_MONTH,
    rewrite: {
      enqueue: STORE_BY_MONTH,
      claim_by_turns: EVENT_BY_MONTH,
      settle: [
        ['RETURNING job.attempts,', 'RETURNING job.attempts, job.sale_at,'],
        ['error, sent_body)', 'error, sent_body, sale_at)'],
        ['THEN sent_body::json END', 'THEN sent_body::json END, sale_at'],
        ['before.job_id = settled.job_id', 'before.job_id = settled.job_id AND before.sale_at = settled.sale_at'],
      ],
    },
    columns: { outbox_jobs: { sale_at: 'at' }, delivery_attempts: { sale_at: 'at' } },
  },
};

/** A claim that changes jobs by their id and the column `part`. */
function claimOf(part) {
  return [
    ['SELECT due.id FROM quota', `SELECT (due.id, due.${part})::job_ref FROM quota`],
    [
      '(SELECT id FROM due_jobs WHERE due_jobs.restaurant_id = quota',
      `(SELECT id, ${part} FROM due_jobs WHERE due_jobs.restaurant_id = quota`,
    ],
    ['SELECT id, place FROM unnest', 'SELECT id, part, place FROM unnest'],
    ['AS picked(id, place)', 'AS picked(id, part, place)'],
    ['WHERE job.id = picked.id AND', `WHERE job.id = picked.id AND job.${part} = picked.part AND`],
  ];
}

/** A settle that gets the column `part` of each job as $14. */
function settleOf(part, type) {
  return [
    ['$13::boolean[])', `$13::boolean[], $14::${type}[])`],
    ['cause, resolved)', 'cause, resolved, part)'],
    ['WHERE job.id = ended.job_id AND', `WHERE job.id = ended.job_id AND job.${part} = ended.part AND`],
    ['error, sent_body)', `error, sent_body, ${part})`],
    ['THEN sent_body::json END', 'THEN sent_body::json END, part'],
    ['before.job_id = settled.job_id', `before.job_id = settled.job_id AND before.${part} = settled.part`],
  ];
}

/** Keys that begin with the restaurant: primary keys, unique keys and foreign keys of the three tables. */
function restaurantFirst(text, table) {
  if (table === 'delivery_attempts')
    return text
      .replace('PRIMARY KEY (id)', 'PRIMARY KEY (restaurant_id, id)')
      .replace(
        'FOREIGN KEY (job_id) REFERENCES outbox_jobs(id)',
        'FOREIGN KEY (restaurant_id, job_id) REFERENCES outbox_jobs(restaurant_id, id)',
      )
      .replace('(job_id, started_at)', '(restaurant_id, job_id, started_at)');
  return text
    .replace('PRIMARY KEY (transaction_key, restaurant_id)', 'PRIMARY KEY (restaurant_id, transaction_key)')
    .replace('PRIMARY KEY (id)', 'PRIMARY KEY (restaurant_id, id)')
    .replace('(event_key, restaurant_id, action)', '(restaurant_id, event_key, action)')
    .replace(
      'FOREIGN KEY (event_key, restaurant_id) REFERENCES terminal_events(transaction_key, restaurant_id)',
      'FOREIGN KEY (restaurant_id, event_key) REFERENCES terminal_events(restaurant_id, transaction_key)',
    );
}

/** Postgres wants the column that divides a table in each unique key of it; the unique key of a sale is that of sale_keys. */
function withMonth(text, table) {
  if (text.includes('terminal_events_test_source_key')) return undefined;
  if (table === 'terminal_events')
    return text.replace(
      'PRIMARY KEY (transaction_key, restaurant_id)',
      'PRIMARY KEY (transaction_key, restaurant_id, received_at)',
    );
  return text
    .replace('PRIMARY KEY (id)', 'PRIMARY KEY (id, sale_at)')
    .replace('(event_key, restaurant_id, action)', '(event_key, restaurant_id, action, sale_at)')
    .replace(
      'FOREIGN KEY (event_key, restaurant_id) REFERENCES terminal_events(transaction_key, restaurant_id)',
      'FOREIGN KEY (event_key, restaurant_id, sale_at) REFERENCES terminal_events(transaction_key, restaurant_id, received_at)',
    )
    .replace(
      'FOREIGN KEY (job_id) REFERENCES outbox_jobs(id)',
      'FOREIGN KEY (job_id, sale_at) REFERENCES outbox_jobs(id, sale_at)',
    );
}

/** Replaces tables by partitioned ones with a partition for each month, and makes the table of keys. */
function divideByMonth(tables) {
  const months = Array.from({ length: MONTHS_BACK + 2 }, (_, n) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS_BACK + n, 1));
  });
  const partitions = (table) =>
    months
      .slice(0, -1)
      .map((month, n) => {
        const bounds = [month, months[n + 1]].map((each) => `'${each.toISOString()}'`);
        return `CREATE TABLE ${partitionOf(table, month)} PARTITION OF ${table} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`;
      })
      .join(';\n');
  return Object.entries(TABLES)
    .filter(([table]) => tables.includes(table))
    .map(
      ([table, column]) => `
      ALTER TABLE ${table} RENAME TO ${table}_before;
      CREATE TABLE ${table} (LIKE ${table}_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS
        ${column === 'sale_at' ? ', sale_at timestamptz(3) NOT NULL' : ''}) PARTITION BY RANGE (${column});
      ${partitions(table)};
      DROP TABLE ${table}_before CASCADE`,
    )
    .concat(
      `CREATE TYPE job_ref AS (id uuid, part timestamptz)`,
      `CREATE TABLE sale_keys (transaction_key text, restaurant_id uuid, source_key text, test_mode boolean NOT NULL,
         received_at timestamptz(3) NOT NULL, job_id uuid NOT NULL)`,
    )
    .join(';\n');
}

/** The name of a table's partition of a month. @param month its first instant */
export const partitionOf = (table, month) => `${table}_${month.toISOString().slice(0, 7).replace('-', '')}`;
