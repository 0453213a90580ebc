-- While an organisation moves to another cell, `admin move-org` puts this trigger on the partitions of past days. The pause of the
-- move reads only those of them that are noted here.
create or replace function note_moved_day() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if coalesce(new.org_id, old.org_id) = tg_argv[0]::uuid then
    -- No unique row: transactions would wait for each other.
    insert into moved_days (moving_org, partition) values (tg_argv[0]::uuid, tg_table_name);
  end if;
  return null;
end $$;
revoke all on function note_moved_day() from public;
