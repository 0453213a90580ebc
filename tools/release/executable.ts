import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artefact } from './artefact.ts'
import { nodeLicence, writeExecutable } from './inject.ts'

/**
 * `ars` as one executable file for the system of this computer, with the bundle of the npm package inside. The npm package
 * must be built before.
 */
export const buildExecutable = async (root: string, out: string): Promise<Artefact[]> => {
  const { version } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'))
  const [bundle, target] = [join(root, 'apps/cli/dist'), join(out, 'cli')]
  mkdirSync(target, { recursive: true })
  const file = join('cli', `ars-${process.platform}-${process.arch}`)
  await writeExecutable(root, join(out, file), { main: join(bundle, 'ars.cjs') })
  const licences = [join(bundle, 'THIRD-PARTY-LICENSES.txt'), nodeLicence]
  const texts = licences.map((each) => readFileSync(each, 'utf8').trim())
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\nNode.js\n\n`)}\n`)
  const purl = `pkg:generic/ars@${version}?arch=${process.arch}&os=${process.platform}`
  return [{ kind: 'executable', name: 'ars', version, purl, file }]
}
