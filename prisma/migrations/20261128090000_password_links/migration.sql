-- Links with which a person sets a new password without the old one (A43): asked for by mail, or made by somebody who may.
CREATE TABLE password_links (
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- SHA-256 of the token, in hex; null until the mail is sent
  token_hash TEXT UNIQUE,
  -- of the user then: a changed password and an end of all sessions end the link
  token_version INTEGER NOT NULL,
  -- who made it; null: asked for by mail
  made_by UUID REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  created_at TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
  expires_at TIMESTAMPTZ(6) NOT NULL
);
CREATE INDEX password_links_user_idx ON password_links (user_id);
CREATE INDEX password_links_made_by_idx ON password_links (made_by);
CREATE INDEX password_links_expires_idx ON password_links (expires_at);
