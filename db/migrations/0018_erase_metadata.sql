-- An erasure covers the metadata of a run, which may hold personal data, and the words of its error.
grant update (metadata) on runs to ars_app;
grant update (error) on run_results to ars_app;
grant delete on run_labels to ars_app;
