import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRepository, repositoryRoot, type SourceFile } from './repository.ts'

/** A store function that reads across organisations, and the reason. */
export type Crossing = { readonly path: string; readonly name: string; readonly reason: string }

export const crossingsPage = 'docs/crossings.md'

export const crossingsIn = (files: readonly SourceFile[]): Crossing[] =>
  files
    .filter(({ path }) => path.endsWith('.store.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(marked)].map(({ groups }) => ({
        path,
        name: groups?.name ?? '',
        reason: (groups?.reason ?? '').replaceAll(/\s*\n\/\/ ?/g, ' ').trim(),
      })),
    )

export const pageOf = (crossings: readonly Crossing[]): string =>
  `# Queries across organisations

Everything else is held to one organisation twice: by the store function's first arguments and by row-level security.
These are not, each for its reason. Written by \`node tools/tidy/crossings.ts\` from the comments in the stores.

| function | why it looks across | store |
|---|---|---|
${crossings.map(({ path, name, reason }) => `| \`${name}\` | ${reason.replaceAll('|', '\\|')} | \`${path}\` |`).join('\n')}
`

// The comment must be directly above the function.
const marked =
  /^\/\/ crosses organisations: (?<reason>.+(?:\n\/\/.*)*)\n(?:\/\*\*[^\n]*\*\/\n)?export (?:async )?(?:const|function) (?<name>\w+)/gm

if (import.meta.main) {
  const crossings = crossingsIn(readRepository())
  writeFileSync(join(repositoryRoot, crossingsPage), pageOf(crossings))
  console.log(`${crossings.length} queries across organisations, listed in ${crossingsPage}`)
}
