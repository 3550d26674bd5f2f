-- The trace of a sale (X2): trace id, span id of its sender or zeros, flags. Null for the events before this version, and for those that
-- instances of the version before still store. NOT VALID: the events that exist are not read; they have none.
ALTER TABLE terminal_events ADD COLUMN trace BYTEA;
ALTER TABLE terminal_events ADD CONSTRAINT terminal_events_trace_length CHECK (octet_length(trace) = 25) NOT VALID;
