-- A role can be given only by a credential with all scopes of the role, so keys that hold every scope get the new ones as well.
-- The owner is held to row-level security too; for this one statement it must see all organisations.
alter table api_keys no force row level security;
update api_keys set scopes = scopes || array['schedules:read', 'schedules:write']
 where kind = 'live' and not scopes && array['schedules:read', 'schedules:write']
   and scopes @> array['runs:read', 'runs:write', 'runs:approve', 'runs:erase', 'runs:share', 'agents:read', 'agents:write',
     'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'usage:read', 'analytics:read', 'pipelines:read', 'pipelines:write',
     'policies:read', 'policies:write', 'connectors:read', 'connectors:write', 'alerts:read', 'alerts:write', 'events:read',
     'audit:read', 'members:write'];
alter table api_keys force row level security;
