-- When another set, or none, came into force. The set is deleted when no run that is kept can use it. Null: it is in force, or an
-- earlier release replaced it, which does not write the time; such a set is kept.
alter table policy_sets add column replaced_at timestamptz;
grant update (replaced_at) on policy_sets to ars_app, ars_system;
grant delete on policy_sets to ars_system;

-- The rotation of data keys seals the credentials of rules again.
grant update (secrets) on policy_versions to ars_system;
