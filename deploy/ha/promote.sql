-- On the standby, when the primary is gone and cannot come back: it accepts writes, alone for the time being.
-- Make sure first that the old primary is stopped and stays so. Afterwards move the address of the database here.
alter system set synchronous_standby_names = '';
select pg_reload_conf();
select pg_promote(wait => true, wait_seconds => 60);
