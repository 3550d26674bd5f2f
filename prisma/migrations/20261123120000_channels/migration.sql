-- The channels that carry alerts (G20): devices of users, their preferences, webhooks of restaurants, and the keys of the platform.
CREATE TABLE devices (
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    -- the address at the push service: who knows it and the keys can send to this device
    endpoint TEXT NOT NULL,
    endpoint_digest TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    browser TEXT,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    confirmed_at TIMESTAMPTZ(6),
    confirm_hash TEXT,
    confirm_until TIMESTAMPTZ(6),
    last_sent_at TIMESTAMPTZ(6),
    failure TEXT,

    CONSTRAINT devices_pkey PRIMARY KEY (id),
    CONSTRAINT devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX devices_endpoint_digest_key ON devices (endpoint_digest);
CREATE INDEX devices_user_id_idx ON devices (user_id);

CREATE TABLE notification_preferences (
    user_id UUID NOT NULL,
    push BOOLEAN NOT NULL DEFAULT true,
    mail BOOLEAN NOT NULL DEFAULT true,
    mail_confirmed_at TIMESTAMPTZ(6),
    mail_confirm_hash TEXT,
    mail_confirm_until TIMESTAMPTZ(6),
    -- when a test message was last asked for
    push_tested_at TIMESTAMPTZ(6),
    mail_tested_at TIMESTAMPTZ(6),
    language TEXT NOT NULL DEFAULT 'en',
    always BOOLEAN NOT NULL DEFAULT false,
    quiet_from TEXT,
    quiet_until TEXT,

    CONSTRAINT notification_preferences_pkey PRIMARY KEY (user_id),
    CONSTRAINT notification_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT notification_preferences_quiet_check CHECK ((quiet_from IS NULL) = (quiet_until IS NULL))
);

CREATE TABLE alert_webhooks (
    restaurant_id UUID NOT NULL,
    url TEXT NOT NULL,
    -- encrypted with AES-256-GCM (S14)
    secret TEXT NOT NULL,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    confirmed_at TIMESTAMPTZ(6),
    last_sent_at TIMESTAMPTZ(6),
    failure TEXT,

    CONSTRAINT alert_webhooks_pkey PRIMARY KEY (restaurant_id),
    CONSTRAINT alert_webhooks_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants (id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- Key pairs that all instances share; `push` signs for push services.
CREATE TABLE platform_keys (
    name TEXT NOT NULL,
    public_key TEXT NOT NULL,
    -- encrypted with AES-256-GCM (S14)
    private_key TEXT NOT NULL,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT platform_keys_pkey PRIMARY KEY (name)
);
