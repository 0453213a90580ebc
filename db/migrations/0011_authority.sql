-- Who may do what inside an organisation.

-- Who created a run: a key or a person. Null in rows of earlier releases. `owner_id` is set for runs of a demo key and of a
-- short-lived token without a run: such a credential sees only the runs that carry its id.
alter table runs
  add column created_by uuid,
  add column created_by_type text check (created_by_type in ('key', 'user')),
  add column owner_id uuid;

-- For the lists of those credentials. Runs of all other credentials have no entry, so that accepting them costs nothing.
create index runs_by_owner on runs (org_id, owner_id, id) where owner_id is not null;

-- Decisions about a run have a scope of their own from here on. Live keys that could decide still can; demo keys cannot.
-- The owner is held to row-level security too; for this one statement it must see all organisations.
alter table api_keys no force row level security;
update api_keys set scopes = array_append(scopes, 'runs:approve')
 where kind = 'live' and 'runs:write' = any (scopes) and not 'runs:approve' = any (scopes);
alter table api_keys force row level security;
