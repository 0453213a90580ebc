import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Artefact } from './artefact.ts'
import { command } from './command.ts'

/** Folders of the npm packages that customers install. */
const packages: readonly { folder: string; kind: Artefact['kind'] }[] = [
  { folder: 'sdks/typescript', kind: 'npm' },
  { folder: 'apps/cli', kind: 'npm-program' },
  { folder: 'apps/local', kind: 'npm-server' },
]

export const buildNpmPackages = async (root: string, out: string): Promise<Artefact[]> => {
  mkdirSync(join(out, 'npm'), { recursive: true })
  const artefacts: Artefact[] = []
  for (const { folder, kind } of packages) {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const args = ['pack', '--json', '--pack-destination', join(out, 'npm')]
    const printed = await command('pnpm', args, { cwd: join(root, folder) })
    // Scripts of the package may print before it.
    const { filename } = JSON.parse(printed.slice(printed.search(/^\{$/m)))
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    artefacts.push({ kind, name, version, purl, file: join('npm', basename(filename)) })
  }
  return artefacts
}
