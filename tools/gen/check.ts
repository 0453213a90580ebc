import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findBreaks } from './breaking.ts'
import { corrections } from './corrections.ts'
import type { Document } from './document.ts'
import { findLanded } from './landed.ts'

export type Files = Readonly<Record<string, string>>

/** Writes each stale file and returns its name. */
export const writeFiles = async (root: string, files: Files): Promise<string[]> => {
  const stale = await findStale(root, files)
  for (const { path, content } of stale) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return stale.map(({ path }) => path)
}

/** One sentence for each stale file. */
export const findDrift = async (root: string, files: Files): Promise<string[]> =>
  (await findStale(root, files)).map(({ path, content, found }) => {
    if (found === undefined) return `${path} is missing. Run \`pnpm gen\` and commit it.`
    return `${path} is not what its sources say. Run \`pnpm gen\` and commit the result.\n${firstDifference(found, content)}`
  })

/** One sentence for each change that breaks clients, and one that names the base of the comparison. */
export const checkBreaks = async (
  root: string,
  { path, after, base }: { path: string; after: string; base?: string },
) => {
  const landed = await findLanded(root, path, base)
  if (landed.ref === undefined)
    return { compared: `No breaking changes were looked for: ${landed.reason}.`, breaks: [] }
  const [before, now] = [JSON.parse(landed.text) as Document, JSON.parse(after) as Document]
  // A new major version is a new contract with a new base path; the old one stays available.
  if (majorOf(before) !== majorOf(now)) {
    return { compared: `No breaking changes were looked for: version ${majorOf(now)} is a new contract.`, breaks: [] }
  }
  const breaks = findBreaks(before, now)
    .map(({ sentence }) => sentence)
    .filter((sentence) => !Object.hasOwn(corrections, sentence))
  return {
    compared: `${path} was compared with the one at ${landed.ref}: ${breaks.length || 'no'} breaking changes.`,
    breaks,
  }
}

const findStale = async (root: string, files: Files) => {
  const all = await Promise.all(
    Object.entries(files).map(async ([path, content]) => ({
      path,
      content,
      found: await readIfThere(join(root, path)),
    })),
  )
  return all.filter(({ content, found }) => content !== found)
}

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const firstDifference = (found: string, wanted: string): string => {
  const [is, should] = [found.split('\n'), wanted.split('\n')]
  const at = Math.max(
    0,
    should.findIndex((line, n) => line !== is[n]),
  )
  return `  line ${at + 1} is:        ${is[at] ?? '(the file ends here)'}\n  line ${at + 1} should be: ${should[at] ?? '(the file ends here)'}`
}

const majorOf = ({ info }: Document): string => info.version.split('.')[0] ?? ''
