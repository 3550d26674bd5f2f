import pg from 'pg';

/** Drops the template database of setup.mjs. */
export default async function teardown() {
  const { TEST_DATABASE_URL, RELAY_TEST_TEMPLATE } = process.env;
  if (!RELAY_TEST_TEMPLATE) return;
  delete process.env.RELAY_TEST_TEMPLATE;
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL });
  await client.connect();
  await client.query(`DROP DATABASE ${RELAY_TEST_TEMPLATE}`);
  await client.end();
}
