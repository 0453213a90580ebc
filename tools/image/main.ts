import { join } from 'node:path'
import { command } from '../release/command.ts'
import { buildServerBundle } from '../release/server-bundle.ts'
import { buildImage } from '../release/server-image.ts'

// pnpm image [folder]: builds the image of ars-server into dist/image, or into another folder, and loads it into the Docker engine
// if there is one. As root on Debian, with mmdebstrap; without a registry.

const root = join(import.meta.dirname, '../..')
const out = process.argv[2] ?? join(root, 'dist/image')
const [image] = await buildImage(root, out, await buildServerBundle(root, out))
if (image === undefined) process.exitCode = 1
else {
  const archive = join(out, image.file)
  const loaded = await command('docker', ['load', '--quiet', '--input', archive], { cwd: root }).catch(() => null)
  console.log(loaded?.trim() ?? `No Docker engine answers. To load the image later: docker load --input ${archive}`)
}
