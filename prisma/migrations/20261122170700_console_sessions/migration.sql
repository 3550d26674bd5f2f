-- Sessions of the console (N10): a cookie is valid while its row is there.
CREATE TABLE console_sessions (
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    browser TEXT,
    address TEXT NOT NULL,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_seen_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT console_sessions_pkey PRIMARY KEY (id),
    CONSTRAINT console_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX console_sessions_user_id_idx ON console_sessions (user_id);
CREATE INDEX console_sessions_expires_at_idx ON console_sessions (expires_at);
