import type { Tone } from './types.ts'

/** The colour of a line or an area. */
export const fillOf = (tone: Tone | undefined): string =>
  tone === undefined || tone === 'accent' ? 'var(--accent)' : `var(--${tone}-fill)`
