-- The signing secret of a remote agent can be replaced. A replaced one belongs to the agent and not to a version, so that a
-- rollback does not restore it. Null: the secret that the agent was created with, which its versions hold.
alter table agents add column signing_secret bytea;
alter table agents add column old_signing_secret bytea;
alter table agents add column old_signing_secret_until timestamptz;
