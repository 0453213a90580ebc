-- Admission looks at a queue through which every run goes. Only a plain index scan marks the entries of rows that are gone, so that
-- later scans pass them by; with a bitmap each look visited every run since the last vacuum (1,345 entries instead of 66, measured).
alter function admit_runs(integer, integer, integer, integer, integer, integer, uuid) set enable_bitmapscan = off;
