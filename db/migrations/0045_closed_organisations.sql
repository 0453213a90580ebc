-- An organisation that moves to another cell, or has moved, is closed here (docs/adr/0022-an-organisation-moves-by-closing-it-first.md).
-- Every transaction that names its organisation looks into this table first and fails if it finds it. The table is empty most of the
-- time, so the look costs next to nothing. Row-level security would cost a look for each statement, and hide rows instead of failing.
--
-- Processes of the previous release do not look. `ars-server admin move-org` needs cells whose processes all have this release.
create table closed_organisations (
  id uuid primary key,
  -- moving: the other cell does not have it yet. moved: it does, and only `admin delete-org` is left to do here.
  state text not null check (state in ('moving', 'moved')),
  -- The identifier of the database to which it moves.
  target text not null,
  closed_at timestamptz not null default app_now()
);
grant select (id) on closed_organisations to ars_app, ars_auth, ars_feed, ars_system;

create function refuse_closed() returns text language plpgsql as $$
begin
  raise exception 'the organisation is closed in this cell, because it moves to another one' using errcode = 'ARM01';
end $$;
