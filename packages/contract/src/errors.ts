/**
 * Every code that an error answer can carry: its status, what it means, what to do, and whether the same request may
 * pass later. The error page is made from this table.
 */
export const errors = {
  invalid_request: {
    status: 400,
    meaning: 'The request is malformed: broken JSON, a missing or wrongly typed field, or an unknown field.',
    advice: 'Correct the field named in `param`; `details` lists every fault that was found.',
    retry: false,
  },
  unauthorized: {
    status: 401,
    meaning: 'The API key is missing or invalid.',
    advice: 'Send `Authorization: Bearer <API_KEY>` with a key that has not been revoked or expired.',
    retry: false,
  },
  forbidden: {
    status: 403,
    meaning: 'The key is valid but may not do this.',
    advice: 'Use a key that holds the scope named in the message.',
    retry: false,
  },
  https_required: {
    status: 403,
    meaning: 'The request came over plain HTTP, where anybody on the way can read it.',
    advice: 'Use `https://`. If the request carried a key, rotate the key: it has travelled in the open.',
    retry: false,
  },
  cross_site_forbidden: {
    status: 403,
    meaning: 'A page of another site tried to use a browser session, or it cannot be told which page did.',
    advice:
      'Call from the page of the service itself, with a JSON content type; programs use an API key instead of the cookie.',
    retry: false,
  },
  not_found: {
    status: 404,
    meaning: 'There is no such thing in this organisation.',
    advice: 'Check the id and that the key belongs to the organisation that owns it.',
    retry: false,
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    advice: 'Use one of the methods in the `Allow` header.',
    retry: false,
  },
  not_acceptable: {
    status: 406,
    meaning: 'The answer cannot be given in a form that `Accept` allows.',
    advice: 'Accept `application/json`.',
    retry: false,
  },
  request_timeout: {
    status: 408,
    meaning: 'The request did not arrive whole in time.',
    advice: 'Send it again on a better connection, with the same `Idempotency-Key`.',
    retry: true,
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than 1 MiB.',
    advice: 'Send less, or a reference to the data.',
    retry: false,
  },
  uri_too_long: {
    status: 414,
    meaning: 'The address is too long.',
    advice: 'Use fewer or shorter query parameters.',
    retry: false,
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is not JSON.',
    advice: 'Send `Content-Type: application/json`, UTF-8, uncompressed.',
    retry: false,
  },
  agent_archived: {
    status: 422,
    meaning: 'The agent is archived and takes no new runs.',
    advice: 'Use another agent.',
    retry: false,
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'This idempotency key was used for another request within 24 hours.',
    advice: 'Use a new key for a new request; send the same body to get the earlier result.',
    retry: false,
  },
  input_invalid: {
    status: 422,
    meaning: 'The input was understood and refused.',
    advice: 'Correct what `details` names.',
    retry: false,
  },
  run_not_active: {
    status: 422,
    meaning: 'The run has ended; nothing can be sent to it any more.',
    advice: 'Read the run to see how it ended; create a new one to go on.',
    retry: false,
  },
  run_not_ended: {
    status: 422,
    meaning: 'The run is still active, and this can only be done to one that has ended.',
    advice: 'Cancel the run or wait for its end.',
    retry: true,
  },
  no_open_action: {
    status: 422,
    meaning: 'The run waits for no decision.',
    advice: 'Read `required_actions` of the run; `message` can be sent to an active run at any time.',
    retry: false,
  },
  action_id_required: {
    status: 422,
    meaning: 'The run waits for several decisions, and the request does not say which one it makes.',
    advice: 'Send `action_id`, one of `required_actions`.',
    retry: false,
  },
  action_not_applicable: {
    status: 422,
    meaning: 'This kind of answer does not fit what was asked.',
    advice: 'Answer an `approval` with `approve` or `reject`, an `input` or a `reconcile` with `respond`.',
    retry: false,
  },
  action_already_resolved: {
    status: 422,
    meaning: 'Another decision was made before.',
    advice: 'Read the run; the first decision stands.',
    retry: false,
  },
  payload_invalid: {
    status: 422,
    meaning: 'The payload does not fit what was asked for.',
    advice: 'Correct what `details` names; `response_schema` of the action says what fits.',
    retry: false,
  },
  too_many_actions: {
    status: 422,
    meaning: 'This run has been sent as many actions as a run takes.',
    advice: 'Create a new run.',
    retry: false,
  },
  limit_reached: {
    status: 422,
    meaning: 'The organisation has as many of these as it may have.',
    advice: 'Delete one that is no longer needed, or ask the operator for more.',
    retry: false,
  },
  secrets_disabled: {
    status: 422,
    meaning: 'This installation has no key to seal credentials with, so it keeps none.',
    advice: 'Ask the operator to set `ARS_KEK_FILE`; until then use servers that need no credential.',
    retry: false,
  },
  config_invalid: {
    status: 422,
    meaning:
      'The agent is well formed but could not work: a model that is not listed, a schema that cannot be used, a required field that is cleared.',
    advice: 'Correct the fields in `details`; each is named with its path.',
    retry: false,
  },
  version_conflict: {
    status: 422,
    meaning: 'The agent has changed since the version that you named.',
    advice: 'Read the agent again, look at what changed, and send your change with its present version.',
    retry: false,
  },
  deployment_not_open: {
    status: 422,
    meaning: 'The deployment gets no runs any more: it was superseded or rolled back.',
    advice: 'List the deployments of the agent and use the one that is active or a canary.',
    retry: false,
  },
  nothing_to_roll_back: {
    status: 422,
    meaning: 'No other version ran before this one.',
    advice: 'Change the agent with PATCH instead, or archive it.',
    retry: false,
  },
  scope_unknown: {
    status: 422,
    meaning: 'There is no such scope.',
    advice: 'Use scopes of the list in the reference; there is no wildcard.',
    retry: false,
  },
  last_owner: {
    status: 422,
    meaning: 'This is the only owner of the organisation, which must have one.',
    advice: 'Make another member owner first.',
    retry: false,
  },
  member_exists: {
    status: 422,
    meaning: 'This person is a member already.',
    advice: 'Change the role of the member instead.',
    retry: false,
  },
  link_invalid: {
    status: 422,
    meaning: 'The link was used, withdrawn or has expired, or it never existed.',
    advice: 'Ask whoever sent the link for a new one.',
    retry: false,
  },
  password_reset_refused: {
    status: 422,
    meaning: 'An organisation may not reset the password of a person who belongs to other organisations too.',
    advice: 'Ask the operator of the service for a link.',
    retry: false,
  },
  password_wrong: {
    status: 422,
    meaning: 'The current password is wrong.',
    advice: 'Type it again. Tries are counted as those of a login are.',
    retry: false,
  },
  password_refused: {
    status: 422,
    meaning: 'The new password is too short, too long or too easy to guess.',
    advice: 'Choose another, of at least 12 characters.',
    retry: false,
  },
  key_not_active: {
    status: 422,
    meaning: 'The key was revoked, has expired or was rotated already.',
    advice: 'Create a new key.',
    retry: false,
  },
  timeout_not_allowed: {
    status: 422,
    meaning: 'The plan does not allow a run to take so long.',
    advice: 'Ask for a shorter `timeout_seconds`, or for a larger plan.',
    retry: false,
  },
  url_not_allowed: {
    status: 422,
    meaning: 'The service may not call this address.',
    advice: 'Use HTTPS, port 443 and a host of the public Internet; an operator can allow more.',
    retry: false,
  },
  event_unknown: {
    status: 422,
    meaning: 'There is no such type of event.',
    advice: 'Use types of the table in the guide on webhooks, or `*` for all of them.',
    retry: false,
  },
  secret_invalid: {
    status: 422,
    meaning: 'The signing secret cannot be used.',
    advice: 'Send `whsec_` followed by 18 or more printable characters, or leave it out: the service then makes one.',
    retry: false,
  },
  webhook_inactive: {
    status: 422,
    meaning: 'The webhook is paused or was disabled, so nothing is sent to it.',
    advice: 'Set `active` to true, then send this again.',
    retry: false,
  },
  recovery_running: {
    status: 422,
    meaning: 'A recovery of this webhook is running.',
    advice: 'Wait until it has completed, or cancel it.',
    retry: false,
  },
  concurrency_exceeded: {
    status: 429,
    meaning: 'Too many runs of this organisation are waiting to start.',
    advice: 'Wait for the seconds in `Retry-After`, or for runs to end; a larger plan runs more at once.',
    retry: true,
  },
  quota_exceeded: {
    status: 429,
    meaning: 'The organisation has used the calls of this month.',
    advice: 'Wait for the first of the next month (UTC; `Retry-After` says how long), or ask for a larger plan.',
    retry: true,
  },
  rate_limited: {
    status: 429,
    meaning: 'Too many requests for this key.',
    advice: 'Wait for the seconds in `Retry-After`.',
    retry: true,
  },
  headers_too_large: {
    status: 431,
    meaning: 'The request headers are too large.',
    advice: 'Send fewer or shorter headers.',
    retry: false,
  },
  internal_error: {
    status: 500,
    meaning: 'The service failed. The failure has been recorded under the request id.',
    advice: 'Try again with the same `Idempotency-Key`; if it stays, tell the operator the request id.',
    retry: true,
  },
  unavailable: {
    status: 503,
    meaning: 'The service cannot take the request just now.',
    advice: 'Wait for the seconds in `Retry-After`, then send it again with the same `Idempotency-Key`.',
    retry: true,
  },
} as const satisfies Record<string, ErrorEntry>

type ErrorEntry = { status: number; meaning: string; advice: string; retry: boolean }

export type ErrorCode = keyof typeof errors

/** What any operation may answer, whatever it does: the gateway itself refuses with these. */
export const protocolErrors = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'https_required',
  'cross_site_forbidden',
  'not_acceptable',
  'request_timeout',
  'body_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
] as const satisfies readonly ErrorCode[]

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
}

export const errorType = (code: ErrorCode): string => types[errors[code].status] ?? 'invalid_request_error'
