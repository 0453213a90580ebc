/** What the fragment of a link to a run holds. Null: the link is incomplete. */
export type SharedLink = { readonly runId: string; readonly token: string }

export const readSharedLink = (fragment: URLSearchParams): SharedLink | null => {
  const [runId, token] = [fragment.get('run') ?? '', fragment.get('token') ?? '']
  return runShape.test(runId) && tokenShape.test(token) ? { runId, token } : null
}

const runShape = /^run_[0-7][0-9a-hjkmnp-tv-z]{25}$/
const tokenShape = /^ars_share_[0-9A-Za-z]{38}$/
