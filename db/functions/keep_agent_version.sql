-- No version is lost, whoever writes to `agents`: the row itself writes down what it was.
create or replace function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (agent_id, version, org_id, name, description, kind, config, input_schema, output_schema, limits,
    policies, metadata, secrets, catalog_version, catalog_base, created_by, created_by_type)
  values (new.id, new.version, new.org_id, new.name, new.description, new.kind, new.config, new.input_schema, new.output_schema,
    new.limits, new.policies, new.metadata, new.secrets, new.catalog_version, new.catalog_base, new.changed_by,
    new.changed_by_type)
  on conflict do nothing;
  return null;
end $$;
