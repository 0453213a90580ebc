/** The list that the person came from, for `[` and `]`. It lives as long as the tab. */
let ids: readonly string[] = []

export const rememberRuns = (shown: readonly string[]): void => {
  ids = shown
}

export const neighboursOf = (id: string): { before: string | undefined; after: string | undefined } => {
  const at = ids.indexOf(id)
  return at === -1 ? { before: undefined, after: undefined } : { before: ids[at - 1], after: ids[at + 1] }
}
