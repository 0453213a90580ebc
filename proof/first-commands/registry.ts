import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import type { Artefact } from '@ars/tools/release/artefact'
import { command } from '@ars/tools/release/command'

export type Registry = { readonly url: string; close(): void }

/**
 * An npm registry on loopback that has the packages of this release, as a release will publish them. It sends every other
 * question on to the registry of this computer.
 */
export const startRegistry = async (out: string, artefacts: readonly Artefact[]): Promise<Registry> => {
  const upstream = (await command('npm', ['config', 'get', 'registry'], { cwd: out })).trim().replace(/\/$/, '')
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/')
    const packed = artefacts.find(({ file }) => path === `/-/files/${basename(file)}`)
    const named = packuments.get(path.slice(1))
    if (packed) response.end(readFileSync(join(out, packed.file)))
    else if (named) response.setHeader('content-type', 'application/json').end(named)
    else response.writeHead(302, { location: `${upstream}${request.url}` }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const packuments = new Map<string, string>()
  for (const artefact of artefacts) packuments.set(artefact.name, await packumentOf(artefact, { out, url }))
  return { url, close: () => server.close() }
}

/** The document of a package: its manifest with the address and the hash of its file. */
const packumentOf = async (
  { name, version, file }: Artefact,
  { out, url }: { out: string; url: string },
): Promise<string> => {
  const manifest = JSON.parse(
    await command('tar', ['-xzOf', join(out, file), 'package/package.json'], { cwd: out }),
  ) as Record<string, unknown>
  const integrity = `sha512-${createHash('sha512')
    .update(readFileSync(join(out, file)))
    .digest('base64')}`
  const dist = { tarball: `${url}/-/files/${basename(file)}`, integrity }
  return JSON.stringify({
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, name, version, dist } },
  })
}
