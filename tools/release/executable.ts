import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Artefact } from './artefact.ts'
import { command } from './command.ts'

// Node looks for these names in its own file.
const resource = 'NODE_SEA_BLOB'
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * `ars` as one executable file for the system of this computer: the Node that runs this, with the bundle of the npm
 * package inside. The npm package must be built before.
 */
export const buildExecutable = async (root: string, out: string): Promise<Artefact[]> => {
  const { version } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'))
  const [bundle, target] = [join(root, 'apps/cli/dist'), join(out, 'cli')]
  mkdirSync(target, { recursive: true })
  const file = join('cli', `ars-${process.platform}-${process.arch}`)
  const [blob, config] = [join(target, 'blob'), join(target, 'config.json')]
  const main = join(bundle, 'ars.cjs')
  writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }))
  await command(process.execPath, ['--experimental-sea-config', config], { cwd: target })
  // The file of Node is executable, and so is its copy.
  copyFileSync(process.execPath, join(out, file))
  const args = [join(out, file), resource, blob, '--sentinel-fuse', sentinelFuse]
  await command(join(root, 'tools/node_modules/.bin/postject'), args, { cwd: target })
  for (const each of [blob, config]) rmSync(each)
  const licences = [join(bundle, 'THIRD-PARTY-LICENSES.txt'), join(dirname(dirname(process.execPath)), 'LICENSE')]
  const texts = licences.map((each) => readFileSync(each, 'utf8').trim())
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\nNode.js\n\n`)}\n`)
  const purl = `pkg:generic/ars@${version}?arch=${process.arch}&os=${process.platform}`
  return [{ kind: 'executable', name: 'ars', version, purl, file }]
}
