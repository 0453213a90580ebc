-- On the primary, when its last standby is gone: writes go on without a second copy.
alter system set synchronous_standby_names = '';
select pg_reload_conf();
