-- The sum of two maps of counts. Most additions to the figures of usage are of one run. A query for each of them takes longer than
-- the rest of the row.
create or replace function add_counts(one jsonb, other jsonb) returns jsonb
  language plpgsql immutable strict parallel safe
  as $$
declare
  added text[];
  each_key text;
begin
  if one = '{}' then
    return other;
  end if;
  added := array(select jsonb_object_keys(other));
  if cardinality(added) > 8 then
    return (select jsonb_object_agg(key, n) from (
      select key, sum(value::bigint) as n
        from (select key, value from jsonb_each_text(one) union all select key, value from jsonb_each_text(other)) parts
       group by key) sums);
  end if;
  foreach each_key in array added loop
    one := one || jsonb_build_object(each_key, coalesce((one ->> each_key)::bigint, 0) + (other ->> each_key)::bigint);
  end loop;
  return one;
end $$;
