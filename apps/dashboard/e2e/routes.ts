import { readFileSync } from 'node:fs'

const source = readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8')

/** Every path of the dashboard that shows a page, as `src/routes.tsx` writes it, such as `/runs/$runId`. */
export const paths: readonly string[] = [...source.matchAll(/\b(?:open|page)\(\s*'(\/[^']*)'/g)].map(
  ([, path = '']) => path,
)
