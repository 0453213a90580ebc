import type { SourceFile } from './repository.ts'

/** A rule of the house: a sentence, its reason, and a check that finds what breaks it. */
export type Rule = {
  readonly name: string
  readonly why: string
  readonly check: (files: readonly SourceFile[]) => Finding[]
  /** Small trees that break the rule, each at least once, and small trees that keep it. They are its test. */
  readonly bad: readonly Tree[]
  readonly good: readonly Tree[]
}

/** Text by path. */
export type Tree = Readonly<Record<string, string>>

export type Finding = { readonly path: string; readonly line?: number; readonly says: string }

export const inWords = ({ path, line, says }: Finding): string =>
  `${path}${line === undefined ? '' : `:${line}`}  ${says}`

export const filesOf = (tree: Tree): SourceFile[] => Object.entries(tree).map(([path, text]) => ({ path, text }))

/** A check for what can be seen in one piece of one file. */
export const forbid =
  (pattern: RegExp, { within, except, read = (file) => file.text }: Scope) =>
  (files: readonly SourceFile[]): Finding[] =>
    files
      .filter(({ path }) => within.test(path) && !except?.test(path))
      .flatMap((file) => {
        const text = read(file)
        return [...text.matchAll(new RegExp(pattern, [...new Set(`${pattern.flags}g`)].join('')))].map((match) => ({
          path: file.path,
          line: lineAt(text, match.index),
          says: match[0].trim().replaceAll(/\s+/g, ' '),
        }))
      })

type Scope = { within: RegExp; except?: RegExp; read?: (file: SourceFile) => string }

export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** The file with its comments blanked and its lines kept, so that a sentence about a thing is not the thing. */
export const withoutComments = ({ path, text }: SourceFile): string => {
  const comment = path.endsWith('.sql') ? /--.*|\/\*[\s\S]*?\*\//g : /(?<=^|\s)\/\/.*|\/\*[\s\S]*?\*\//gm
  return text.replaceAll(comment, blank)
}

export const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Code that serves tests and builders, not customers. */
export const notShipped = /\.test\.tsx?$|(^|\/)(test|e2e)\/|^tools\/|^packages\/testkit\/|\.config\.ts$/
