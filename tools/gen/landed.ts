import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type Landed =
  | { readonly ref: string; readonly text: string }
  | { readonly ref: undefined; readonly reason: string }

/** The file as it last landed: what clients may have been written against. */
export const findLanded = async (root: string, path: string, base?: string): Promise<Landed> => {
  const ref = base ?? (await findBase(root, path))
  if (ref === undefined) return { ref, reason: `git knows no earlier ${path}` }
  const isKnown = await git(root, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`)
  if (!isKnown) throw new Error(`git knows no commit ${ref}`)
  const text = await git(root, 'show', `${ref}:${path}`)
  return text === undefined ? { ref: undefined, reason: `${path} did not exist at ${ref}` } : { ref, text }
}

const findBase = async (root: string, path: string): Promise<string | undefined> => {
  const head = await git(root, 'rev-parse', '--verify', '--quiet', 'HEAD')
  const main = await git(root, 'rev-parse', '--verify', '--quiet', 'origin/main')
  // On a branch, what has landed is what main held where the branch left it. What main gained since is not missing
  // here, it is only not merged yet. A shallow clone may not reach that point; then main itself is the best guess.
  if (main && head !== main) return (await git(root, 'merge-base', 'HEAD', 'origin/main')) || main
  // On main itself the last commit has landed already. An edit that is not committed is compared with it.
  const isEdited = (await git(root, 'status', '--porcelain', '--', path)) !== ''
  if (isEdited) return head
  // Nothing is edited: compared with HEAD the file would always be equal to itself, and the check of the commit that
  // just changed it, in CI on main, could never fail. So the file is compared with the one which that commit replaced.
  const changed = await git(root, 'log', '-n', '1', '--format=%H', '--', path)
  return changed ? git(root, 'rev-parse', '--verify', '--quiet', `${changed}^`) : undefined
}

/** What git says, or undefined where it refuses: no repository, no such commit, no such file. */
const git = async (root: string, ...words: string[]): Promise<string | undefined> => {
  // A hook's variables would lead git to the repository of the hook, whatever the folder.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', root, ...words], { env, maxBuffer: 64 * 1_048_576 })
    return words[0] === 'show' ? stdout : stdout.trim()
  } catch {
    return undefined
  }
}
