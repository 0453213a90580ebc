const of = (names: readonly string[], sentence: string, why: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name + sentence, why]))

const metadataOf = (place: string): Record<string, string> =>
  of(
    [
      '` had maxProperties unset and has now 16.',
      '.{name}` had minLength unset and has now 1.',
      '.{name}` had maxLength unset and has now 64.',
    ].map((sentence) => `${place} \`metadata${sentence}`),
    '',
    'others were always refused',
  )

/**
 * Changes that look breaking and are not, because the service never behaved as documented or no client can meet them:
 * the sentence of the check, and the reason. Remove an entry after the corrected document has landed.
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
  'events.list (GET /events) may now answer 422.': 'a time that ends before it begins was always refused so',
  'agents.update (PATCH /agents/{id}), body: it is now required.': 'a change without a field was always refused',
  'agents.update (PATCH /agents/{id}), body: it had minProperties unset and has now 1.':
    'a change without a field was always refused',
  ...of(
    [
      'agents.update (PATCH /agents/{id}), body:',
      'agents.hire (POST /agents/{catalog_key}/deploy), body:',
      'CreateAgent in requests:',
    ],
    ' `config` no longer takes fields of any other name.',
    'fields that no kind of agent has were always refused',
  ),
  ...metadataOf('agents.hire (POST /agents/{catalog_key}/deploy), body:'),
  ...metadataOf('CreateAgent in requests:'),
  ...of(
    ['minLength unset and has now 1.', 'maxLength unset and has now 64.'].map(
      (words) => `UpdateAgent in requests: \`metadata.{name}\` had ${words}`,
    ),
    '',
    'others were always refused',
  ),
  ...of(
    [
      'agents.versions (GET /agents/{id}/versions), query parameter `after`',
      'agents.versions (GET /agents/{id}/versions), query parameter `before`',
      'agents.version (GET /agents/{id}/versions/{version}), path parameter `version`',
      'agents.diff (GET /agents/{id}/versions/{version}/diff), path parameter `version`',
      'agents.diff (GET /agents/{id}/versions/{version}/diff), query parameter `to`',
    ],
    ': it had maximum unset and has now 999999999.',
    'larger numbers were always refused',
  ),
}
