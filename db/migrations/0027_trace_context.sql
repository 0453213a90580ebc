-- The W3C trace context under which a run was accepted, as `traceparent` or `traceparent tracestate`. Null: the run is in no trace.
-- An earlier release neither writes nor reads it.
alter table runs add column trace_context text;
-- An erasure clears it: the caller's tracestate may identify somebody.
grant update (trace_context) on runs to ars_app;
