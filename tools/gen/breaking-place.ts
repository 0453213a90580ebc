import { type BreakKind, compareSchemas, type Direction, type Finding } from './breaking-schema.ts'
import type { Document, Schema } from './document.ts'

export type Break = { readonly kind: BreakKind; readonly sentence: string }

export type Documents = { readonly before: Document; readonly after: Document }

/** The position of two compared schemas, for messages, and who reads the value. */
export type Place = { readonly place: string; readonly documents: Documents; readonly direction: Direction }

export const schemaBreaks = ({ place, documents, direction }: Place, was: Schema, is: Schema): Break[] =>
  compareSchemas({ documents, direction }, was, is).map((finding) => ({
    kind: finding.kind,
    sentence: `${finding.component ? `${finding.component} ${insideWords[direction]}` : place}: ${wordsOf(finding)}`,
  }))

const insideWords = { input: 'in requests', output: 'in answers' } as const

const wordsOf = ({ path, what }: Finding): string => (path === '' ? `it ${what}.` : `\`${path}\` ${what}.`)
