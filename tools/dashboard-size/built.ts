import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Built, Chunk } from './budgets.ts'

/** The parts of a build of the dashboard, with the sizes that a browser downloads. */
export const readBuilt = (folder: string): Built => ({
  chunks: JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>,
  bytesOf: (file) => {
    const compressed = statSync(join(folder, `${file}.br`), { throwIfNoEntry: false })
    return (compressed ?? statSync(join(folder, file))).size
  },
})
