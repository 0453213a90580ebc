-- After the tables.
-- The same text for the one who appends and for the one who checks.
create or replace function audit_hash(previous bytea, entry audit_log) returns bytea language sql immutable
  return sha256(previous || convert_to(json_build_array(entry.id, entry.org_id, entry.number, entry.actor_type,
    entry.actor_id, entry.action, entry.subject, entry.address, entry.request_id, entry.before, entry.after,
    extract(epoch from entry.created_at)::text)::text, 'UTF8'));
