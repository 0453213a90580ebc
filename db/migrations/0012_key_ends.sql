-- The end of keys: who created them, the longest life that an organisation allows, and the notice before the end.

-- "All keys that X made", and the keys below a key.
create index api_keys_by_creator on api_keys (org_id, created_by, id) where created_by is not null;

-- The longest life of a new key in days. Null: no limit.
alter table organisations add column max_key_lifetime_days integer check (max_key_lifetime_days between 1 and 3650);

-- The end that `api_key.expiring` has announced. Another end is announced again.
alter table api_keys add column expiring_noted_for timestamptz;
create index api_keys_expiring on api_keys (expires_at)
  where expires_at is not null and revoked_at is null and rotated_at is null
    and expiring_noted_for is distinct from expires_at;
