import type { SourceFile } from './repository.ts'

/** A house rule: a sentence, its reason, and a check for violations. */
export type Rule = {
  readonly name: string
  readonly why: string
  readonly check: (files: readonly SourceFile[]) => Finding[]
  /** Small trees that break the rule, and small trees that keep it. They are its tests. */
  readonly bad: readonly Tree[]
  readonly good: readonly Tree[]
}

/** Text by path. */
export type Tree = Readonly<Record<string, string>>

export type Finding = { readonly path: string; readonly line?: number; readonly says: string }

export const inWords = ({ path, line, says }: Finding): string =>
  `${path}${line === undefined ? '' : `:${line}`}  ${says}`

export const filesOf = (tree: Tree): SourceFile[] => Object.entries(tree).map(([path, text]) => ({ path, text }))

/** A check for a pattern in a single file. */
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

/** The file with blanked comments; lines are kept. */
export const withoutComments = ({ path, text }: SourceFile): string => {
  const comment = path.endsWith('.sql') ? /--.*|\/\*[\s\S]*?\*\//g : /(?<=^|\s)\/\/.*|\/\*[\s\S]*?\*\//gm
  return text.replaceAll(comment, blank)
}

export const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Code for tests and development, which is not shipped. */
export const notShipped = /\.test\.tsx?$|(^|\/)(test|e2e)\/|^(tools|proof)\/|^packages\/testkit\/|\.config\.ts$/
