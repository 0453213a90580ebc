import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Artefact } from './artefact.ts'
import { command } from './command.ts'

/**
 * The image of `ars-server` with this bundle, as an archive for `docker load`. It needs root and mmdebstrap; without them there is
 * none, and it says so.
 */
export const buildImage = async (root: string, out: string, bundle: Artefact): Promise<Artefact[]> => {
  const why = whyNoImage()
  if (why !== null) {
    console.log(`– no image of ars-server: ${why}`)
    return []
  }
  const { name, version } = bundle
  const file = join('server', `${name}-${version}-image-${process.arch}.tar`)
  const said = await command('deploy/image/build.sh', [join(out, bundle.file), join(out, file)], { cwd: root })
  console.log(said.trim())
  return [{ kind: 'image', name, version, purl: `pkg:oci/${name}@${digestIn(said)}?arch=${process.arch}`, file }]
}

const whyNoImage = (): string | null => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'this needs root on Linux'
  const found = spawnSync('mmdebstrap', ['--version'], { stdio: 'ignore' })
  return found.error ? 'mmdebstrap is not installed' : null
}

const digestIn = (said: string): string => {
  const [, digest] = /sha256:([0-9a-f]{64})/.exec(said) ?? []
  if (digest === undefined) throw new Error(`deploy/image/build.sh named no digest: ${said}`)
  return `sha256%3A${digest}`
}
