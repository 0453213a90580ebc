import type { RequiredAction, Run } from '@agent-run-service/sdk'

/** One open question of one run. `isGone`: it is decided, and the row says so before it leaves. */
export type ApprovalRow = { id: string; run: Run; action: RequiredAction; isGone?: true }

/** The questions of all runs, the one that expires next first. */
export const rowsOf = (runs: readonly Run[]): readonly ApprovalRow[] =>
  runs
    .flatMap((run) => run.required_actions.map((action) => ({ id: action.id, run, action })))
    .sort((one, other) => Date.parse(one.action.expires_at) - Date.parse(other.action.expires_at))

/** The rows of the last answer, and those of before that are missing in it, unless the person decided them here. */
export const withGone = (
  before: readonly ApprovalRow[],
  now: readonly ApprovalRow[],
  own: ReadonlySet<string>,
): readonly ApprovalRow[] => {
  const ids = new Set(now.map(({ id }) => id))
  const gone = before.filter(({ id }) => !ids.has(id) && !own.has(id)).map((row) => ({ ...row, isGone: true as const }))
  return [...now.filter(({ id }) => !own.has(id)), ...gone].sort(
    (one, other) => Date.parse(one.action.expires_at) - Date.parse(other.action.expires_at),
  )
}

const maxLineChars = 200

/** `refund({"order_id":"A-2041"})`, cut after 200 characters. */
export const toolLine = (call: Readonly<Record<string, unknown>> | null): string => {
  if (call === null) return '–'
  const { name, arguments: given, ...rest } = call
  const line = typeof name === 'string' ? `${name}(${JSON.stringify(given ?? rest)})` : JSON.stringify(call)
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line
}
