/** Enough to distinguish two keys, too little to use one. */
export const hintOf = (apiKey: string): string => {
  const kind = /^ars_[a-z]+_/.exec(apiKey)?.[0] ?? ''
  return apiKey.length < kind.length + 12 ? `${kind}…` : `${kind}…${apiKey.slice(-4)}`
}
