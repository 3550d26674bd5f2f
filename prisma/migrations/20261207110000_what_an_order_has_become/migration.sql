-- What has become of an order, at this moment, for a statement of its POS (Q15, Q16, Q23). The statement has waited for the lock of the CREATE job: its own
-- snapshot is older, and has neither a cancel nor a refusal that was stored meanwhile. A volatile function in PL/pgSQL reads a snapshot of its own.
CREATE FUNCTION order_by_now(of_job UUID, of_key TEXT, of_restaurant UUID,
  OUT cancelled BOOLEAN, OUT refusals INTEGER, OUT offered_as UUID, OUT refused_at TIMESTAMPTZ)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT EXISTS (SELECT FROM outbox_jobs WHERE event_key = of_key AND restaurant_id = of_restaurant AND action = 'CANCEL') INTO cancelled;
  SELECT count(*), (array_agg(said.offered_as ORDER BY said.offer DESC))[1], max(said.created_at) INTO refusals, offered_as, refused_at
  FROM pos_acceptances said WHERE said.job_id = of_job AND said.state = 'REFUSED';
END
$$;
