import type { Reach } from './database.js';
import type { AttemptRow, AttemptWrite, JobRow, MoveRow } from './history.js';
import type { Recorded } from './statements.js';

/**
 * Triggers that write down every change of a job's status, and every write of an attempt, in the transaction that made it. They
 * exist in this database alone.
 */
const TRIGGERS = [
  `CREATE SCHEMA chaos`,
  `CREATE TABLE chaos.moves (
    id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    job_id uuid, event_key text, action text, from_status text, to_status text, from_lock text, to_lock text,
    from_attempts int, to_attempts int, withdrawn boolean, held_ms float8)`,
  `CREATE TABLE chaos.attempt_writes (
    id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    attempt_id uuid, job_id uuid, was text, outcome text)`,
  // a row that was inserted has no OLD, whose fields are null then
  `CREATE FUNCTION chaos.note_move() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO chaos.moves (job_id, event_key, action, from_status, to_status, from_lock, to_lock, from_attempts, to_attempts,
      withdrawn, held_ms)
    VALUES (NEW.id, NEW.event_key, NEW.action, OLD.status, NEW.status, OLD.locked_by, NEW.locked_by,
      coalesce(OLD.attempts, 0), NEW.attempts, NEW.withdrawn, extract(epoch FROM now() - OLD.processing_at) * 1000);
    RETURN NULL;
  END $$`,
  `CREATE FUNCTION chaos.note_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO chaos.attempt_writes (attempt_id, job_id, was, outcome) VALUES (NEW.id, NEW.job_id, OLD.outcome, NEW.outcome);
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER chaos_stored AFTER INSERT ON outbox_jobs FOR EACH ROW EXECUTE FUNCTION chaos.note_move()`,
  // rewriting the same status counts too: a settled job must not be settled again
  `CREATE TRIGGER chaos_moved AFTER UPDATE OF status, locked_by, attempts, withdrawn ON outbox_jobs FOR EACH ROW
    EXECUTE FUNCTION chaos.note_move()`,
  `CREATE TRIGGER chaos_attempted AFTER INSERT OR UPDATE ON delivery_attempts FOR EACH ROW
    EXECUTE FUNCTION chaos.note_attempt()`,
];

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** Keys of the tenant whose rows the database refuses begin so. */
export const REFUSED_PREFIX = 'REFUSED-';

/** What makes the database refuse writes: all of them while the disk is full, and one tenant's rows always. */
const REFUSALS = [
  `CREATE TABLE chaos.disk (is_full boolean NOT NULL)`,
  `INSERT INTO chaos.disk VALUES (false)`,
  `CREATE FUNCTION chaos.need_room() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF (SELECT is_full FROM chaos.disk) THEN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END IF;
    RETURN NULL;
  END $$`,
  ...['terminal_events', 'outbox_jobs', 'delivery_attempts'].map(
    (table) =>
      `CREATE TRIGGER chaos_room BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION chaos.need_room()`,
  ),
  `CREATE FUNCTION chaos.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'index row size exceeds btree version 4 maximum' USING ERRCODE = 'program_limit_exceeded';
  END $$`,
  `CREATE TRIGGER chaos_refused BEFORE INSERT ON terminal_events FOR EACH ROW
    WHEN (starts_with(NEW.transaction_key, '${REFUSED_PREFIX}')) EXECUTE FUNCTION chaos.refuse()`,
];

/** Installs the triggers. */
export async function installAudit(database: Reach): Promise<void> {
  await database.query(...TRIGGERS, ...REFUSALS);
}

/** What the database knows of the run. */
export interface Records {
  readonly jobs: JobRow[];
  readonly attempts: AttemptRow[];
  readonly moves: MoveRow[];
  readonly attemptWrites: AttemptWrite[];
  readonly recorded: Recorded[];
}

/** Reads all of it, at the end. */
export async function readRecords(database: Reach): Promise<Records> {
  return {
    jobs: await database.query<JobRow & Record<string, unknown>>(
      `SELECT id::text, event_key AS "eventKey", source_key AS "sourceKey", test_mode AS "testMode", action::text,
        status::text, attempts, withdrawn, last_error AS "lastError"
       FROM outbox_jobs JOIN terminal_events event
         ON event.transaction_key = event_key AND event.restaurant_id = outbox_jobs.restaurant_id`,
    ),
    attempts: await database.query<AttemptRow & Record<string, unknown>>(
      `SELECT id::text, job_id::text AS "jobId", number, ${ms('started_at')} AS "startedAt", duration_ms AS "durationMs",
        http_status AS "httpStatus", error_code AS "errorCode", outcome::text, reach::text, error
       FROM delivery_attempts ORDER BY started_at, number`,
    ),
    moves: await database.query<MoveRow & Record<string, unknown>>(
      `SELECT id::int, ${ms('at')} AS at, tx::text, job_id::text AS "jobId", event_key AS "eventKey", action,
        from_status AS "from", to_status AS "to", from_lock AS "fromLock", to_lock AS "toLock",
        from_attempts AS "fromAttempts", to_attempts AS "toAttempts", withdrawn, held_ms AS "heldMs"
       FROM chaos.moves ORDER BY chaos.moves.id`,
    ),
    attemptWrites: await database.query<AttemptWrite & Record<string, unknown>>(
      `SELECT ${ms('at')} AS at, tx::text, attempt_id::text AS "attemptId", job_id::text AS "jobId", was, outcome
       FROM chaos.attempt_writes ORDER BY chaos.attempt_writes.id`,
    ),
    recorded: await database.query<Recorded & Record<string, unknown>>(
      `SELECT ${ms('created_at')} AS at, written_by::text AS tx, job_id::text AS "jobId", offer, state, coalesce(number, code) AS text
       FROM pos_acceptances ORDER BY created_at`,
    ),
  };
}
