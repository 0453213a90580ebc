/**
 * Every error code: its status, meaning, advice, and whether the same request can succeed later. The error page is
 * generated from this table.
 */
export const errors = {
  invalid_request: {
    status: 400,
    meaning: 'The request is malformed: invalid JSON, a missing or wrongly typed field, or an unknown field.',
    advice: 'Correct the field in `param`. `details` lists every error that was found.',
    retry: false,
  },
  unauthorized: {
    status: 401,
    meaning: 'The request has no valid credential: it is missing, malformed, unknown, revoked or expired.',
    advice: 'Send `Authorization: Bearer <API key>` with a key that is neither revoked nor expired.',
    retry: false,
  },
  forbidden: {
    status: 403,
    meaning: 'The credential is valid but does not allow this operation.',
    advice: 'Use a credential with the scope named in the message, or one that is not limited to other agents or runs.',
    retry: false,
  },
  https_required: {
    status: 403,
    meaning: 'The request used plain HTTP, which others on the network can read.',
    advice: 'Use `https://`. If the request carried a key, rotate the key.',
    retry: false,
  },
  cross_site_forbidden: {
    status: 403,
    meaning: 'A write with a session cookie did not come from the origin of the service.',
    advice:
      'Call from a page of the service with `Content-Type: application/json`. In programs, use an API key instead of the cookie.',
    retry: false,
  },
  not_found: {
    status: 404,
    meaning: 'The resource does not exist in this organisation.',
    advice: 'Check the id, and that the key belongs to the organisation that owns the resource.',
    retry: false,
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but does not support this method.',
    advice: 'Use one of the methods in the `Allow` header.',
    retry: false,
  },
  not_acceptable: {
    status: 406,
    meaning: 'The service cannot respond in a format that `Accept` allows.',
    advice: 'Accept `application/json`.',
    retry: false,
  },
  request_timeout: {
    status: 408,
    meaning: 'The complete request did not arrive in time.',
    advice: 'Send it again, with the same `Idempotency-Key` where the operation accepts one.',
    retry: true,
  },
  body_too_large: {
    status: 413,
    meaning: 'The request body is larger than 1 MiB, or than 32 MiB for `POST /batches`.',
    advice: 'Send less data, or a reference to the data.',
    retry: false,
  },
  uri_too_long: {
    status: 414,
    meaning: 'The URL is too long.',
    advice: 'Use fewer or shorter query parameters.',
    retry: false,
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The content type of the request is not JSON.',
    advice: 'Send `Content-Type: application/json`, UTF-8, without compression.',
    retry: false,
  },
  organisation_mismatch: {
    status: 422,
    meaning: 'The credential does not act for the organisation in the header `ARS-Organisation`. Nothing was done.',
    advice: 'Read `GET /api/auth/me` for the organisation of the credential. In a browser, reload the page.',
    retry: false,
  },
  agent_archived: {
    status: 422,
    meaning: 'The agent is archived and accepts no new runs.',
    advice: 'Use another agent, or return this one to service with `POST /agents/{id}/unarchive`.',
    retry: false,
  },
  agent_not_remote: {
    status: 422,
    meaning: 'Only agents of kind `remote` have a signing secret.',
    advice: 'Use the id of a remote agent.',
    retry: false,
  },
  pipeline_archived: {
    status: 422,
    meaning: 'The pipeline is archived. It accepts no new runs and no changes.',
    advice: 'Use another pipeline, or return this one to service with `POST /pipelines/{id}/unarchive`.',
    retry: false,
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'This idempotency key was used with a different request within the last 24 hours.',
    advice: 'Use a new key for a new request. To get the earlier result, send the same body.',
    retry: false,
  },
  input_invalid: {
    status: 422,
    meaning: 'The request is well-formed, but a value is not acceptable.',
    advice: 'Correct the values in `details`.',
    retry: false,
  },
  run_not_active: {
    status: 422,
    meaning: 'The run or pipeline run has ended and accepts no more actions.',
    advice: 'Read the run to see its result. Create a new run to continue.',
    retry: false,
  },
  run_not_ended: {
    status: 422,
    meaning: 'The run, pipeline run or batch is still active. The operation requires an ended one.',
    advice: 'Cancel it or wait until it ends.',
    retry: true,
  },
  no_open_action: {
    status: 422,
    meaning: 'The run does not wait for a decision.',
    advice: 'Read `required_actions` of the run. You can send a `message` to an active run at any time.',
    retry: false,
  },
  action_id_required: {
    status: 422,
    meaning: 'The run waits for several decisions, and the request does not name one.',
    advice: 'Send `action_id` with an id from `required_actions`.',
    retry: false,
  },
  action_not_applicable: {
    status: 422,
    meaning: 'This type of action does not answer the open question.',
    advice: 'Answer `approval` with `approve` or `reject`; answer `input` and `reconcile` with `respond`.',
    retry: false,
  },
  action_already_resolved: {
    status: 422,
    meaning: 'A different decision was made before.',
    advice: 'Read the run. The first decision remains in effect.',
    retry: false,
  },
  payload_invalid: {
    status: 422,
    meaning: 'The payload does not match the requested format.',
    advice: 'Correct the values in `details`. `response_schema` of the action describes the format.',
    retry: false,
  },
  too_many_actions: {
    status: 422,
    meaning: 'The run has received the maximum number of actions.',
    advice: 'Create a new run.',
    retry: false,
  },
  limit_reached: {
    status: 422,
    meaning: 'The organisation has the maximum number of these resources.',
    advice: 'Delete one that you no longer need, or ask the operator for a higher limit.',
    retry: false,
  },
  mail_disabled: {
    status: 422,
    meaning: 'This installation sends no mail.',
    advice: 'Ask the operator to set `ARS_MAIL_FROM` and `ARS_SMTP_URL`.',
    retry: false,
  },
  email_taken: {
    status: 409,
    meaning: 'Another account has proven this e-mail address.',
    advice: 'Log in with that account, or ask an administrator to invite it.',
    retry: false,
  },
  secrets_disabled: {
    status: 422,
    meaning: 'This installation has no encryption key, so it cannot store credentials.',
    advice: 'Ask the operator to set `ARS_KEK_FILE`. Until then, use servers that need no credential.',
    retry: false,
  },
  config_invalid: {
    status: 422,
    meaning:
      'The configuration of the agent, or the definition of the pipeline, is well-formed but cannot work: for example an unlisted model, an unusable schema, or steps that depend on each other in a circle.',
    advice: 'Correct the fields in `details`; each has its path.',
    retry: false,
  },
  version_conflict: {
    status: 422,
    meaning: 'The agent, pipeline or policy has changed since the version that you sent.',
    advice: 'Read it, check what changed, and send your change with the current version.',
    retry: false,
  },
  policy_invalid: {
    status: 422,
    meaning:
      'The policy is well-formed but cannot work: for example a pattern that cannot be compiled, or an action that the check cannot take.',
    advice: 'Correct the fields in `details`; each has its path, such as `rules.2.params.pattern`.',
    retry: false,
  },
  policy_archived: {
    status: 422,
    meaning: 'The policy is archived. It cannot be changed or attached.',
    advice: 'Create a new policy with the same rules.',
    retry: false,
  },
  guardrail_blocked: {
    status: 422,
    meaning: 'A policy of the organisation forbids the content.',
    advice:
      'Read the policy, the check, the rule and the reason in `details`. Send other content, or ask an admin to change the policy.',
    retry: false,
  },
  tool_changed: {
    status: 422,
    meaning: 'The tool is not listed with this hash: its server has changed or removed it since you read it.',
    advice: 'Read the tool again, check what changed, and approve the new hash.',
    retry: false,
  },
  connector_unreachable: {
    status: 422,
    meaning: 'The server of the connector did not list its tools. The message has the cause.',
    advice: 'Check the address, the credential and the server, then try again.',
    retry: true,
  },
  deployment_not_open: {
    status: 422,
    meaning: 'The deployment was superseded or rolled back and receives no runs.',
    advice: 'List the deployments of the agent and use the one with status `active` or `canary`.',
    retry: false,
  },
  nothing_to_roll_back: {
    status: 422,
    meaning: 'There is no earlier version to roll back to.',
    advice: 'Change the agent with PATCH instead, or archive it.',
    retry: false,
  },
  scope_unknown: {
    status: 422,
    meaning: 'A requested scope does not exist.',
    advice: 'Use scopes from the list in the reference. There is no wildcard.',
    retry: false,
  },
  last_owner: {
    status: 422,
    meaning: 'This is the only owner of the organisation. Every organisation must have one.',
    advice: 'Make another member owner first.',
    retry: false,
  },
  keys_undecided: {
    status: 422,
    meaning: 'The member has created API keys that are still active.',
    advice: 'Send `keys=revoke` or `keys=keep`.',
    retry: false,
  },
  member_exists: {
    status: 422,
    meaning: 'This person is already a member.',
    advice: 'Change the role of the member instead.',
    retry: false,
  },
  link_invalid: {
    status: 422,
    meaning: 'The link was used or withdrawn, has expired, or never existed.',
    advice: 'Ask the sender for a new link.',
    retry: false,
  },
  password_reset_refused: {
    status: 422,
    meaning: 'An organisation cannot reset the password of a person who also belongs to other organisations.',
    advice: 'Ask the operator of the service for a link.',
    retry: false,
  },
  password_wrong: {
    status: 422,
    meaning: 'The current password is wrong.',
    advice: 'Try again. Attempts count like login attempts.',
    retry: false,
  },
  password_refused: {
    status: 422,
    meaning: 'The new password is too short, too long or too easy to guess.',
    advice: 'Choose another password with at least 12 characters.',
    retry: false,
  },
  key_not_active: {
    status: 422,
    meaning: 'The key was revoked, has expired or was already rotated.',
    advice: 'Create a new key.',
    retry: false,
  },
  timeout_not_allowed: {
    status: 422,
    meaning: 'The plan does not allow a timeout of this length.',
    advice: 'Send a shorter `timeout_seconds`, or ask for a larger plan.',
    retry: false,
  },
  url_not_allowed: {
    status: 422,
    meaning: 'The service is not allowed to call this URL.',
    advice: 'Use HTTPS, port 443 and a public host. Operators can allow more.',
    retry: false,
  },
  event_unknown: {
    status: 422,
    meaning: 'An event type does not exist.',
    advice: 'Use types from the list of events in the reference, or `*` for all.',
    retry: false,
  },
  secret_invalid: {
    status: 422,
    meaning: 'The signing secret does not have the required format.',
    advice:
      'Send `whsec_` followed by at least 18 printable characters, or omit the secret to let the service create one.',
    retry: false,
  },
  webhook_inactive: {
    status: 422,
    meaning: 'The webhook is paused or disabled, so nothing is sent to it.',
    advice: 'Set `active` to true, then send the request again.',
    retry: false,
  },
  recovery_running: {
    status: 422,
    meaning: 'A recovery of this webhook is already running.',
    advice: 'Wait until it has completed, or cancel it.',
    retry: false,
  },
  range_too_large: {
    status: 422,
    meaning: 'The period is too long for its interval, or the filters match too many figures.',
    advice: 'Ask for a shorter period, a longer interval, or fewer versions and API keys.',
    retry: false,
  },
  concurrency_exceeded: {
    status: 429,
    meaning: 'Too many runs of this organisation are queued.',
    advice:
      'Wait for the seconds in `Retry-After`, or until runs have ended. A larger plan allows more concurrent runs.',
    retry: true,
  },
  quota_exceeded: {
    status: 429,
    meaning: 'The organisation, or the demo key, has used its runs of this month.',
    advice:
      'Wait until the first day of the next month, UTC (`Retry-After` has the seconds), or ask for a larger plan.',
    retry: true,
  },
  budget_exhausted: {
    status: 429,
    meaning: 'The monthly budget of the organisation, the agent or the API key is used up.',
    advice:
      'Raise the budget, or wait until the first day of the next month, UTC (`Retry-After` has the seconds). `details` names the budget.',
    retry: true,
  },
  storage_exceeded: {
    status: 429,
    meaning: 'The organisation stores more bytes of runs than its plan allows.',
    advice:
      'Erase the data of ended runs with `DELETE /runs/{id}/data`, wait until old runs expire, or ask for a larger plan. The count is renewed every minute.',
    retry: true,
  },
  rate_limited: {
    status: 429,
    meaning: 'Too many requests.',
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
    meaning: 'The service failed. The failure is logged with the request id.',
    advice:
      'Try again, with the same `Idempotency-Key` where the operation accepts one. If the error persists, send the request id to the operator.',
    retry: true,
  },
  unavailable: {
    status: 503,
    meaning: 'The service cannot process the request at the moment.',
    advice:
      'Wait for the seconds in `Retry-After`, then send it again, with the same `Idempotency-Key` where the operation accepts one.',
    retry: true,
  },
} as const satisfies Record<string, ErrorEntry>

type ErrorEntry = { status: number; meaning: string; advice: string; retry: boolean }

export type ErrorCode = keyof typeof errors

/** Codes that the gateway can return for any operation. */
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
  'organisation_mismatch',
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
