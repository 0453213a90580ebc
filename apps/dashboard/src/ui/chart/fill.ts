import type { Tone } from './types.ts'

/** The colour of a line or an area. */
export const fillOf = (tone: Tone | undefined): string => {
  if (tone === undefined || tone === 'accent') return 'var(--accent)'
  return tone === 'plain' ? 'var(--line-strong)' : `var(--${tone}-fill)`
}
