import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkBreaks, findDrift, writeFiles } from './check.ts'
import { cliOperationsPath } from './cli-operations.ts'
import type { Document } from './document.ts'
import { documentPath, generatedFiles } from './files.ts'
import { baselineOf, baselinePath } from './landed.ts'
import { fillSections, generatedSections } from './sections.ts'
import { findUndescribed } from './undescribed.ts'

// pnpm gen                         writes every generated file
// pnpm gen --check [--base REF]    fails when one is stale, or when the API would break a client of the one at REF
// pnpm gen --move-baseline         writes them, and allows the breaks since the last landed document
// --root DIR                       reads and writes the files of another checkout

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    'move-baseline': { type: 'boolean', default: false },
    base: { type: 'string' },
    root: { type: 'string' },
  },
})
const root = values.root ?? join(import.meta.dirname, '../..')
const files = { ...generatedFiles(), ...(await fillSections(root, generatedSections())) }

if (values.check) {
  const drift = await findDrift(root, files)
  const after = files[documentPath] ?? ''
  const { compared, breaks } = await checkBreaks(root, {
    path: documentPath,
    after,
    ...(values.base && { base: values.base }),
  })
  const undescribed = findUndescribed(JSON.parse(after) as Document)
  for (const sentence of [...drift, ...undescribed]) console.error(sentence)
  for (const sentence of breaks) console.error(`Breaking: ${sentence}`)
  if (breaks.length > 0)
    console.error('A client of the last landed API would break. Add beside; before a release, see docs/versioning.md.')
  console.log(compared)
  if (drift.length + undescribed.length + breaks.length > 0) process.exitCode = 1
  else console.log(`${Object.keys(files).length} generated files are up to date.`)
} else {
  const baseline = values['move-baseline'] ? { [baselinePath]: baselineOf(files[documentPath] ?? '') } : {}
  const first = await writeFiles(root, { ...files, ...baseline })
  // The reference of the command line comes from the program, which reads a generated file.
  const second = first.includes(cliOperationsPath) ? await writeFiles(root, generatedFiles()) : []
  const written = [...new Set([...first, ...second])]
  console.log(written.length > 0 ? `Wrote ${written.join(', ')}.` : 'All generated files were up to date.')
}
