-- An organisation has one data key that seals, and retired ones that open what they sealed before the rotation.
alter table org_keys add column retired bytea[] not null default '{}';
alter table org_keys add column rotated_at timestamptz;

-- A version is immutable but for the key that seals its secrets.
grant update (secrets) on agent_versions to ars_system;
