import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artefact } from './artefact.ts'

/** A third-party package that an artefact needs at run time, as a clean installation resolved it. */
export type Dependency = {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly license?: string
  /** The purls of the packages that it needs. */
  readonly needs: readonly string[]
}

export type ReleaseContent = {
  readonly out: string
  readonly version: string
  /** The time of the commit, so that the same commit gives the same document. */
  readonly timestamp: string
  readonly artefacts: readonly Artefact[]
  readonly dependencies: readonly Dependency[]
  /** The purls that each artefact needs directly, by its purl. */
  readonly needs: Readonly<Record<string, readonly string[]>>
}

/** The software bill of materials of a release: CycloneDX 1.6, JSON. */
export const sbomOf = ({ out, version, timestamp, artefacts, dependencies, needs }: ReleaseContent): object => {
  const product = `agent-run-service@${version}`
  const packages = [...Map.groupBy(artefacts, ({ purl }) => purl)].map(([purl, files]) => ({
    type: 'library',
    'bom-ref': purl,
    name: files[0]?.name,
    version: files[0]?.version,
    purl,
    licenses: [{ license: { id: 'Apache-2.0' } }],
    components: files.map(({ file }) => ({
      type: 'file',
      'bom-ref': `file:${file}`,
      name: file,
      hashes: [{ alg: 'SHA-256', content: sha256(join(out, file)) }],
    })),
  }))
  const thirdParty = dependencies.map(({ name, version: found, purl, license }) => ({
    type: 'library',
    'bom-ref': purl,
    name,
    version: found,
    purl,
    ...(license && { licenses: [{ expression: license }] }),
  }))
  const graph = [
    { ref: product, dependsOn: packages.map(({ purl }) => purl) },
    ...packages.map(({ purl }) => ({ ref: purl, dependsOn: [...(needs[purl] ?? [])].sort() })),
    ...dependencies.map(({ purl, needs: own }) => ({ ref: purl, dependsOn: [...own].sort() })),
  ]
  const body = {
    metadata: {
      timestamp,
      component: { type: 'application', 'bom-ref': product, name: 'agent-run-service', version },
    },
    components: [...packages, ...thirdParty],
    dependencies: graph,
  }
  return { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialOf(body), version: 1, ...body }
}

export const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

/** A UUID that depends on the content alone. */
const serialOf = (body: object): string => {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, variant + hash.slice(18, 20)]
  return `urn:uuid:${[...parts, hash.slice(20, 32)].join('-')}`
}
