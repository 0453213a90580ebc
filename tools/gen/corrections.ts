/**
 * Changes of the document that look like a break and are none, because the service never did what the document said, or
 * because nobody who called it before can meet them: the sentence that the check would say, and why it does not count.
 * An entry is of use until the corrected document has landed, and may go then.
 */
export const corrections: Readonly<Record<string, string>> = {
  ...of(
    [
      'runs.create (POST /runs)',
      'runs.stream (POST /runs/stream)',
      'runs.act (POST /runs/{id}/action)',
      'connectors.create (POST /connectors)',
    ],
    ', header `idempotency-key`: it had the pattern ^[!-~]([ -~]*[!-~])?$ and has now the pattern ^[!#-~]([ -~]*[!-~])?$.',
    'a key in quotes was always refused',
  ),
  'runs.list (GET /runs), query parameter `metadata`: it is now written in another way.':
    'it was always read as metadata[key]=value; the document did not say how',
  'runs.list (GET /runs), query parameter `status`: it had no pattern and has now the pattern ^(queued|running|requires_action|cancelling|completed|failed|cancelled)(,(queued|running|requires_action|cancelling|completed|failed|cancelled))*$.':
    'other words were always refused',
  ...of(
    [
      'runs.list (GET /runs), query parameter `metadata`: `{name}`',
      'runs.list (GET /runs), query parameter `metadata`: `*`',
      'CreateRun in requests: `metadata.{name}`',
      'CreateRun in requests: `metadata.*`',
    ],
    ' had no pattern and has now the pattern ^[^\\u0000]*$.',
    'the character U+0000 was always refused',
  ),
  'runs.list (GET /runs) may now answer 404.':
    'only to a key that is narrowed to some agents and asks for one that there is not; there were no such keys',
}

function of(names: readonly string[], sentence: string, why: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name + sentence, why]))
}
