-- How often each value occurs.
create or replace function counts_of(given text[]) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(value, n), '{}')
    from (select value, count(*) as n from unnest(given) as value where value is not null group by value) counted
$$;
