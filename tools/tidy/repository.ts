import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the repository: path and text. */
export type SourceFile = { readonly path: string; readonly text: string }

export const repositoryRoot = join(import.meta.dirname, '../..')

/** All files, sorted by path. Generated files have an empty text. */
export const readRepository = (root: string = repositoryRoot): SourceFile[] =>
  pathsBelow(root, '')
    .filter((path) => !planted.test(path))
    .sort()
    .map((path) => ({ path, text: generated.test(path) ? '' : readFileSync(join(root, path), 'utf8') }))

const skippedFolders = new Set(
  'node_modules .git .dev .ci-state dist coverage .cache generated _generated __pycache__ .mypy_cache .pytest_cache .ruff_cache'.split(
    ' ',
  ),
)
const generated =
  /^(pnpm-lock\.yaml|db\/schema\.sql|packages\/contract\/openapi\.json|(sdks\/python\/)?LICENSE)$|\.(log|png|ico|woff2|pem)$/
// The rules contain examples of violations.
const planted = /^tools\/tidy\/rules\//

const pathsBelow = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : pathsBelow(root, path)
    return entry.isFile() ? [path] : []
  })
