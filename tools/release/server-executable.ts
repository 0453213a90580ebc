import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Artefact } from './artefact.ts'
import { command } from './command.ts'
import { nodeLicence, writeExecutable } from './inject.ts'
import { sha256 } from './sbom.ts'

/**
 * `ars-server` as one executable file for the system of this computer. The files of its bundle are inside; `start.cjs` unpacks
 * them at the first start.
 */
export const buildServerExecutable = async (root: string, out: string, bundle: Artefact): Promise<Artefact> => {
  const { version } = bundle
  const archive = join(out, bundle.file)
  const file = join(dirname(bundle.file), `ars-server-${process.platform}-${process.arch}`)
  const work = mkdtempSync(join(dirname(archive), 'work-'))
  try {
    await command('tar', ['-xzf', archive, '--strip-components=1'], { cwd: work })
    copyFileSync(nodeLicence, join(work, 'NODE-LICENSE'))
    const files = readdirSync(work, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
    const assets = Object.fromEntries(files.map((path) => [`files/${relative(work, path)}`, path]))
    const name = join(work, 'name')
    // The folder of the unpacked files. A changed bundle gets another one.
    writeFileSync(name, `${version}-${sha256(archive).slice(0, 16)}`)
    const main = join(root, 'tools/release/start.cjs')
    await writeExecutable(root, join(out, file), { main, assets: { ...assets, name } })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const purl = `pkg:generic/ars-server@${version}?arch=${process.arch}&os=${process.platform}&form=executable`
  return { kind: 'server-executable', name: 'ars-server', version, purl, file }
}
