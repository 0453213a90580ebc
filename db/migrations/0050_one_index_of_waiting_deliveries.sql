-- delivery_heads_line replaces it. Heads are few, and the lock is held for a moment: `migrate` gives up and tries again if it must wait.
-- squawk-ignore require-concurrent-index-deletion
drop index delivery_heads_waiting;
