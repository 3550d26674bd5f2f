const REASON = /\[skipped: needs (.+?)\]/;

/** How to run the tests that were skipped for a reason. */
const REMEDIES = {
  'a Postgres server': 'TEST_DATABASE_URL=postgresql://… npm test',
  'the embedded database': 'npm test, without TEST_DATABASE_URL',
  PgBouncer: 'install it (it is looked for in /usr/sbin, /usr/bin and /usr/local/bin)',
  "Postgres' programs": 'install a PostgreSQL server (initdb, pg_ctl, pg_basebackup)',
  'Patroni, etcd, HAProxy and PgBouncer': 'install them (Debian: patroni etcd-server haproxy pgbouncer)',
  Chromium: 'install it (/usr/bin/chromium, or where CHROMIUM says)',
  psql: 'install the PostgreSQL client',
  sh: 'install curl and openssl',
  python3: 'install it',
  php: 'install it, with its curl extension',
  java: 'install Java 17 or later',
};

/** Prints, for each missing program or server, how many tests were skipped and how to run them. */
export default class SkippedReporter {
  onRunComplete(_contexts, { testResults }) {
    const counts = {};
    for (const { ancestorTitles, title, status } of testResults.flatMap((suite) => suite.testResults)) {
      const [, reason] = (status === 'pending' && REASON.exec([...ancestorTitles, title].join())) || [];
      if (reason) counts[reason] = (counts[reason] ?? 0) + 1;
    }
    for (const [reason, count] of Object.entries(counts))
      console.error(`\n${count} skipped tests need ${reason}: ${REMEDIES[reason]}`);
  }
}
