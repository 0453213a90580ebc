import { generateKeyPairSync, verify } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { goModulePath } from './go-module.ts'
import { sbomOf } from './sbom.ts'
import { signatureOf } from './signature.ts'

const out = mkdtempSync(join(tmpdir(), 'ars-release-test-'))
afterAll(() => rmSync(out, { recursive: true, force: true }))

test('every package names the same repository, and the path of the Go module lies in it', () => {
  const repository = 'https://github.com/agent-run-service/agent-run-service'
  const root = join(import.meta.dirname, '../..')
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  const packages = ['package.json', '{apps,packages,sdks}/*/package.json', '{tools,proof}/package.json']
  for (const file of globSync(packages, { cwd: root })) {
    const directory = dirname(file)
    expect(JSON.parse(read(file)), file).toMatchObject({
      repository: { type: 'git', url: `git+${repository}.git`, ...(directory !== '.' && { directory }) },
      homepage: expect.stringContaining(repository),
      bugs: `${repository}/issues`,
    })
  }
  expect(`https://${goModulePath(join(root, 'sdks/go')).replace(/\/v\d+$/, '')}`).toBe(`${repository}/sdks/go`)
  const others = ['sdks/python/pyproject.toml', 'deploy/helm/agent-run-service/Chart.yaml']
  for (const file of others) expect(read(file), file).toContain(repository)
})

test('signed checksums are refused after a change, and a key of another kind is not taken', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const signature = Buffer.from(signatureOf('checksums', pem), 'base64')
  expect(verify('sha256', Buffer.from('checksums'), publicKey, signature)).toBe(true)
  expect(verify('sha256', Buffer.from('Checksums'), publicKey, signature)).toBe(false)
  const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  expect(() => signatureOf('checksums', other)).toThrow('must be an EC key')
})

test('every reference of the bill of materials leads to a component, and every file has its hash', () => {
  mkdirSync(join(out, 'npm'))
  writeFileSync(join(out, 'npm/a.tgz'), 'a')
  const dependency = { name: 'dep', version: '1', purl: 'pkg:npm/dep@1', license: 'MIT OR Apache-2.0', needs: [] }
  const given = {
    out,
    version: '2.4.0',
    timestamp: '2030-01-01T00:00:00.000Z',
    artefacts: [
      { kind: 'npm', name: '@x/a', version: '2.4.0', purl: 'pkg:npm/%40x/a@2.4.0', file: 'npm/a.tgz' },
    ] as const,
    dependencies: [dependency],
    needs: { 'pkg:npm/%40x/a@2.4.0': [dependency.purl] },
  }
  const sbom = sbomOf(given) as {
    serialNumber: string
    metadata: { component: { 'bom-ref': string } }
    components: { 'bom-ref': string; components?: { hashes: object[] }[] }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const known = new Set([sbom.metadata.component['bom-ref'], ...sbom.components.map((each) => each['bom-ref'])])
  const used = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
  expect(used.filter((ref) => !known.has(ref))).toEqual([])
  expect(sbom.dependencies).toContainEqual({ ref: 'pkg:npm/%40x/a@2.4.0', dependsOn: ['pkg:npm/dep@1'] })
  expect(sbom.components[0]?.components?.[0]?.hashes).toEqual([
    { alg: 'SHA-256', content: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb' },
  ])
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(sbomOf(given)).toEqual(sbom)
})
