-- Owners and admins rename their organisation. Plan and limits stay the operator's.
grant update (name) on organisations to ars_app;
