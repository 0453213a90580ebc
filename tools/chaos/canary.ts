const mark = 'chaos-canary-'

/** Stands in what an organisation sends. Found in an answer to another organisation, it is a leak. */
export function canaryOf(organisation: string): string {
  return `${mark}${organisation}.`
}

/** The organisations whose canary the text holds. */
export function canariesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/chaos-canary-([a-z0-9-]+)\./g)].map(([, organisation = '']) => organisation))]
}
