-- Tokens that have a price of their own. Cached and cache-write tokens are part of the input tokens, reasoning tokens of the output tokens.
-- An earlier release neither writes nor reads them: its steps count as 0.
alter table run_heads add column cached_tokens bigint not null default 0, add column cache_write_tokens bigint not null default 0,
  add column reasoning_tokens bigint not null default 0;
alter table run_steps add column cached_tokens bigint not null default 0, add column cache_write_tokens bigint not null default 0,
  add column reasoning_tokens bigint not null default 0;
alter table run_results add column cached_tokens bigint not null default 0, add column cache_write_tokens bigint not null default 0,
  add column reasoning_tokens bigint not null default 0;
