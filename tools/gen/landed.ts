import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Names a version of the document by the hash of its git object. A change that breaks clients on purpose moves it in the
 * same commit (`pnpm gen --move-baseline`); the document is then compared with this version and not with an older one.
 */
export const baselinePath = 'packages/contract/openapi-baseline.txt'

export type Landed =
  | { readonly ref: string; readonly text: string }
  | { readonly ref: undefined; readonly reason: string }

/** The last landed version of the file, which clients may use. */
export const findLanded = async (root: string, path: string, base?: string): Promise<Landed> => {
  const ref = base ?? (await findBase(root, path))
  if (ref === undefined) return { ref, reason: `git knows no earlier ${path}` }
  const isKnown = await git(root, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`)
  if (!isKnown) throw new Error(`git knows no commit ${ref}`)
  const moved = await findMovedBaseline(root, path, ref)
  if (moved) return moved
  const text = await git(root, 'show', `${ref}:${path}`)
  return text === undefined ? { ref: undefined, reason: `${path} did not exist at ${ref}` } : { ref, text }
}

/** The file that names this document as the baseline. */
export const baselineOf = (document: string): string => {
  const object = Buffer.concat([Buffer.from(`blob ${Buffer.byteLength(document)}\0`), Buffer.from(document)])
  return `${createHash('sha1').update(object).digest('hex')}\n`
}

const findMovedBaseline = async (root: string, path: string, ref: string): Promise<Landed | undefined> => {
  const baseline = await readFile(join(root, baselinePath), 'utf8').catch(() => undefined)
  const earlier = await git(root, 'show', `${ref}:${baselinePath}`)
  if (baseline === undefined || baseline === earlier) return undefined
  const object = baseline.trim()
  const current = await readFile(join(root, path), 'utf8').catch(() => '')
  if (baselineOf(current) === baseline) return { ref: 'the baseline, which is this one', text: current }
  // An object that no commit holds is on this machine only.
  const commit = await git(root, 'log', '-n', '1', '--format=%h', `--find-object=${object}`, 'HEAD', '--', path)
  if (commit) return { ref: `the baseline of ${commit}`, text: (await git(root, 'show', object)) ?? '' }
  if ((await git(root, 'rev-parse', '--is-shallow-repository')) === 'true')
    return { ref: undefined, reason: `a shallow clone does not hold the baseline ${object}` }
  throw new Error(`No commit holds the baseline ${object}. Run \`pnpm gen --move-baseline\`.`)
}

const findBase = async (root: string, path: string): Promise<string | undefined> => {
  const head = await git(root, 'rev-parse', '--verify', '--quiet', 'HEAD')
  const main = await git(root, 'rev-parse', '--verify', '--quiet', 'origin/main')
  // On a branch the base is the merge base with main: later commits on main are only not merged yet. A shallow clone
  // may not contain the merge base; then main is used.
  if (main && head !== main) return (await git(root, 'merge-base', 'HEAD', 'origin/main')) || main
  // On main the last commit has landed. An uncommitted edit is compared with it.
  const isEdited = (await git(root, 'status', '--porcelain', '--', path)) !== ''
  if (isEdited) return head
  // Without edits a comparison with HEAD could never fail in CI on main. So the file is compared with the version that
  // the last commit replaced.
  const changed = await git(root, 'log', '-n', '1', '--format=%H', '--', path)
  return changed ? git(root, 'rev-parse', '--verify', '--quiet', `${changed}^`) : undefined
}

/** The output of git, or undefined on failure: no repository, no such commit, no such file. */
const git = async (root: string, ...words: string[]): Promise<string | undefined> => {
  // The variables of a git hook would point git to another repository.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', root, ...words], { env, maxBuffer: 64 * 1_048_576 })
    return words[0] === 'show' ? stdout : stdout.trim()
  } catch {
    return undefined
  }
}
