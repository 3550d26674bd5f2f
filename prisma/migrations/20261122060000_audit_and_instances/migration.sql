-- Who did what (R27). Nothing refers to users or restaurants: an entry outlives both, and holds up neither's removal.
CREATE TABLE audit_entries (
    id UUID NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    actor_id UUID,
    actor_email TEXT,
    restaurant_id UUID,
    action TEXT NOT NULL,
    target TEXT,
    details JSONB NOT NULL DEFAULT '{}',
    request_id TEXT,

    CONSTRAINT audit_entries_pkey PRIMARY KEY (id),
    CONSTRAINT audit_entries_details_is_object CHECK (jsonb_typeof(details) = 'object')
);
-- Pages of a restaurant, of all, of one kind, of one person. With conditions that lists state and look-ups do not (decisions/032).
CREATE INDEX audit_entries_restaurant_id_at_id_idx ON audit_entries (restaurant_id, at, id) WHERE (at IS NOT NULL);
CREATE INDEX audit_entries_at_id_idx ON audit_entries (at, id) WHERE (at IS NOT NULL);
CREATE INDEX audit_entries_action_at_id_idx ON audit_entries (action, at, id) WHERE (at IS NOT NULL);
CREATE INDEX audit_entries_actor_email_at_id_idx ON audit_entries (actor_email, at, id) WHERE (at IS NOT NULL);

-- Entries are added, and that is all, whoever writes (R20).
CREATE FUNCTION audit_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are never changed or removed (% refused)', TG_OP
        USING ERRCODE = 'check_violation',
              HINT = 'Old ones are removed by prisma/sql/remove-audit-entries.sql, see docs/operations.md.';
END $$;
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries FOR EACH ROW
    EXECUTE FUNCTION audit_entries_refuse_change();
CREATE TRIGGER audit_entries_not_emptied BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT
    EXECUTE FUNCTION audit_entries_refuse_change();

-- Each process's last sign of life (R21), by the database's clock. The id is the name that stands in locked_by.
CREATE TABLE relay_instances (
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    host TEXT NOT NULL,
    started_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_seen_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    worker_enabled BOOLEAN NOT NULL,
    pace TEXT NOT NULL,

    CONSTRAINT relay_instances_pkey PRIMARY KEY (id)
);

-- Parked jobs by cause: their groups are counted, and reset, without computing every error's cause again (R22, R9). Written only
-- when a job is parked. Whoever changes error_cause() must make this index anew.
CREATE INDEX outbox_jobs_parked_cause_idx ON outbox_jobs (error_cause(last_error), restaurant_id, updated_at)
    WHERE (status = 'DLQ' AND NOT withdrawn);
