-- Appends with the owner's rights, because the application may read the log and not write it. It is held to the
-- organisation of its transaction like everybody else.
create or replace function append_audit(entry_id uuid, org uuid, actor_type text, actor_id text, action text, subject text,
  address text, request_id text, before json, after json) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  last_number bigint;
  last_hash bytea;
  entry audit_log;
begin
  insert into audit_heads (org_id, number, hash) values (org, 0, '\x00') on conflict do nothing;
  select h.number, h.hash into strict last_number, last_hash from audit_heads h where h.org_id = org for update;
  entry := row(entry_id, org, last_number + 1, actor_type, actor_id, action, subject, address, request_id, before, after,
    app_now(), ''::bytea);
  entry.hash := audit_hash(last_hash, entry);
  insert into audit_log (id, org_id, number, actor_type, actor_id, action, subject, address, request_id, before, after,
      created_at, hash)
    values (entry.id, entry.org_id, entry.number, entry.actor_type, entry.actor_id, entry.action, entry.subject,
      entry.address, entry.request_id, entry.before, entry.after, entry.created_at, entry.hash);
  update audit_heads h set number = entry.number, hash = entry.hash where h.org_id = org;
end $$;
revoke all on function append_audit(uuid, uuid, text, text, text, text, text, text, json, json) from public;
grant execute on function append_audit(uuid, uuid, text, text, text, text, text, text, json, json) to ars_app, ars_auth, ars_system;
