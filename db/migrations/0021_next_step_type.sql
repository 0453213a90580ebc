-- What the next step of a run does, known when the step before it is stored. Null: what its agent begins with, a model call
-- or a call of the remote agent. An earlier release leaves it as it is; a wrong value changes a label in the feed only.
alter table run_heads add column next_type text;
