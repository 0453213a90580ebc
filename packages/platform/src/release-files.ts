import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Sources are TypeScript and this file is in its package; a bundle (`apps/server/build.ts`) is JavaScript, all its programs
// are in its first folder, and the files beside them keep their paths.
/** Whether this runs from a clone, and not from a bundle. */
export const isSource = import.meta.filename.endsWith('.ts')
const root = isSource ? join(import.meta.dirname, '../../..') : import.meta.dirname

/** A file or folder that belongs to this release, by its path in the repository. */
export const releaseFile = (path: string): string => join(root, path)

/** A program that this one starts, by the path of its source. */
export const releaseProgram = (path: `${string}/${string}.ts`): URL => {
  const name = path.slice(path.lastIndexOf('/') + 1, -'.ts'.length)
  return pathToFileURL(isSource ? join(root, path) : join(root, `${name}.mjs`))
}
