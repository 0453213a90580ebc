-- On the primary, after a standby has caught up: from now on a commit waits for it.
-- With two standbys, `any 1 (*)` waits for the faster one, so that the loss of either does not stop writes.
alter system set synchronous_standby_names = 'any 1 (*)';
select pg_reload_conf();
