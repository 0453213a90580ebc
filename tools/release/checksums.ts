import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sha256 } from './sbom.ts'

export const checksumsFile = 'SHA256SUMS'

/** One line for each file of the release, as `sha256sum --check` reads it. */
export const checksumsOf = (out: string): string =>
  readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== checksumsFile)
    .map((entry) => relative(out, join(entry.parentPath, entry.name)))
    .toSorted()
    .map((file) => `${sha256(join(out, file))}  ${file}\n`)
    .join('')
