import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that git has in its index, and the history behind them. */
export type Tree = {
  readonly root: string
  readonly commit: string
  /** Of the whole tree of the commit. */
  readonly hash: string
  readonly files: ReadonlyMap<string, string>
  find(match: RegExp, containing?: string): string[]
}

export const readTree = (root: string): Tree => {
  const files = new Map(
    git(root, ['ls-files', '-s', '-z'])
      .split('\0')
      .flatMap((line): [string, string][] => {
        const [, blob, path] = /^\d+ (\w+) \d\t(.*)$/s.exec(line) ?? []
        return blob === undefined || path === undefined ? [] : [[path, blob]]
      }),
  )
  return {
    root,
    commit: git(root, ['rev-parse', 'HEAD']).trim(),
    hash: git(root, ['rev-parse', 'HEAD^{tree}']).trim(),
    files,
    find: (match, containing) =>
      [...files.keys()].filter(
        (path) =>
          match.test(path) && (containing === undefined || readFileSync(join(root, path), 'utf8').includes(containing)),
      ),
  }
}

/** Changes with the name and the content of each input, and with nothing else. */
export const hashOf = ({ files }: Pick<Tree, 'files'>, isInput: (path: string) => boolean): string => {
  const hash = createHash('sha256')
  for (const path of [...files.keys()].filter(isInput).sort()) hash.update(`${path}\0${files.get(path)}\0`)
  return hash.digest('hex').slice(0, 20)
}

/** Files that differ from the commit, also those that git does not know. */
export const readChanges = (root: string): string[] =>
  git(root, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'])
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => line.slice(3))

/** Files that differ between a commit and the tree. */
export const changedSince = (root: string, commit: string): string[] => [
  ...git(root, ['diff', '--name-only', '--no-renames', '-z', commit]).split('\0'),
  ...readChanges(root),
]

/** For `--affected` without a commit: where this branch has left the main one. */
export const branchPoint = (root: string): string =>
  git(root, ['merge-base', 'HEAD', git(root, ['rev-parse', '--verify', '-q', 'origin/main'], 'HEAD~1').trim()]).trim()

/** The commits after `since`, oldest first, each with its files. */
export type History = readonly { readonly files: readonly string[] }[]

/** A commit that this branch does not have stands for the one that brought the record. */
export const historyReader = (root: string): ((since: string, record: string) => History) => {
  const read = new Map<string, History>()
  const isKnown = (commit: string): boolean => git(root, ['merge-base', '--is-ancestor', commit, 'HEAD'], 'no') !== 'no'
  return (since, record) => {
    const from = isKnown(since) ? since : git(root, ['log', '-1', '--format=%H', '--', record]).trim() || 'HEAD'
    const found = read.get(from) ?? readHistory(root, from)
    read.set(from, found)
    return found
  }
}

const readHistory = (root: string, from: string): History =>
  git(root, ['log', '--first-parent', '-m', '--name-only', '--no-renames', '--format=%x01', `${from}..HEAD`])
    .split('\u0001')
    .slice(1)
    .map((text) => ({ files: text.split('\n').filter((line) => line !== '') }))
    .reverse()

/** How far back the first commit lies that changed an input; 0 without one. */
export const firstChangeBack = (history: History, isInput: (path: string) => boolean): number => {
  const at = history.findIndex(({ files }) => files.some(isInput))
  return at === -1 ? 0 : history.length - at
}

/** With `otherwise` a command may fail. */
const git = (root: string, args: readonly string[], otherwise?: string): string => {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', otherwise === undefined ? 'inherit' : 'ignore'],
    })
  } catch (error) {
    if (otherwise === undefined) throw error
    return otherwise
  }
}
