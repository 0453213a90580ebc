/**
 * Changes that look breaking and are not, because the service never behaved as documented or no client can meet them:
 * the sentence of the check, and the reason. Remove an entry after the corrected document has landed.
 */
export const corrections: Readonly<Record<string, string>> = {
  'runs.erase (DELETE /runs/{id}/data) needed the scope runs:write and now needs the scope runs:erase.':
    'no version was released with it, and erasing cannot be undone',
}
