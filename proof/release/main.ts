import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import type { Artefact } from '@ars/tools/release/artefact'
import { checksumsFile, checksumsOf } from '@ars/tools/release/checksums'
import { command } from '@ars/tools/release/command'
import { buildExecutable } from '@ars/tools/release/executable'
import { buildGoModule } from '@ars/tools/release/go-module'
import { buildNpmPackages } from '@ars/tools/release/npm'
import { buildPythonPackage } from '@ars/tools/release/python'
import { sbomOf } from '@ars/tools/release/sbom'
import { buildServerBundle } from '@ars/tools/release/server-bundle'
import { buildServerExecutable } from '@ars/tools/release/server-executable'
import { buildImage } from '@ars/tools/release/server-image'
import { signatureOf } from '@ars/tools/release/signature'
import { startTemporaryStack, stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { blocksOf, type Values, withValues } from './blocks.ts'
import type { Ecosystem, Installed } from './ecosystem.ts'
import { go } from './go.ts'
import { node } from './node.ts'
import { executable, npmProgram } from './program.ts'
import { python } from './python.ts'
import { serverTrials } from './server.ts'
import { skillFile, tryCommands, tryPrograms } from './skill.ts'

const help = `pnpm release --dry-run: builds all artefacts of a release into dist/release/ and tries each of them.

Builds the documentation site, the bundle, the executable file and (as root, with mmdebstrap) the image of ars-server, the npm packages, the executable file of ars, the wheel, the source distribution and the Go
module, installs each into a clean folder and runs the first example of its README and the programs of ${skillFile} against the running service. Then writes the
SBOM (CycloneDX) and the checksums; --signing-key <pem> signs the checksums with an EC key. Nothing is published: there is no registry to publish to yet.
`
/** What the bill of materials says about an artefact. */
type Tried = Pick<Installed, 'dependencies' | 'needs'>

const ecosystems: readonly Ecosystem[] = [node, npmProgram, executable, python, go]
const out = join(repositoryDir, 'dist/release')
const read = (path: string): string => readFileSync(join(repositoryDir, path), 'utf8')

const build = async (): Promise<Artefact[]> => {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const { version } = JSON.parse(read('package.json'))
  // A part of the bundle. It fails on a broken link.
  await command('pnpm', ['--filter', '@ars/docs-site', 'build'], { cwd: repositoryDir })
  const bundle = await buildServerBundle(repositoryDir, out)
  const artefacts = [
    bundle,
    await buildServerExecutable(repositoryDir, out, bundle),
    ...(await buildImage(repositoryDir, out, bundle)),
    ...(await buildNpmPackages(repositoryDir, out)),
    ...(await buildExecutable(repositoryDir, out)),
    ...(await buildPythonPackage(repositoryDir, out, join(repositoryDir, '.dev/release-python'))),
    ...(await buildGoModule(repositoryDir, out, version)),
  ]
  for (const artefact of artefacts) {
    const found = artefact.version.replace(/^v/, '')
    if (found !== version) throw new Error(`${artefact.file} has the version ${found} instead of ${version}`)
  }
  return artefacts
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      'signing-key': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || !values['dry-run']) {
    console.log(help)
    return values.help ? 0 : 1
  }
  // A wrong path ends the command before the build.
  const signingKey = values['signing-key'] && readFileSync(values['signing-key'], 'utf8')
  stopStacksOnSignals()
  const begun = performance.now()
  const artefacts = await build()
  const temporary = await startTemporaryStack('release')
  const scratch = mkdtempSync(join(tmpdir(), 'ars-release-'))
  try {
    const server = temporary.stack.server({ role: 'all' })
    await server.start()
    const values = {
      baseUrl: `${server.url}/v2`,
      apiKey: temporary.seed.api_key,
      agentId: temporary.agentId('test-echo'),
    }
    const tried = await tryArtefacts(artefacts, scratch, values, temporary.stack.tls.certFile)
    await writePapers(artefacts, tried)
    if (signingKey) sign(signingKey)
  } finally {
    await temporary.dispose({ keepFiles: false })
    rmSync(scratch, { recursive: true, force: true })
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  console.log(`Release: ${artefacts.length} artefacts in dist/release, all tried, ${seconds} s. Nothing was published.`)
  return 0
}

/** Installs every artefact and runs its first example and the skill's programs in its language. */
const tryArtefacts = async (
  artefacts: readonly Artefact[],
  scratch: string,
  values: Values,
  caFile: string,
): Promise<Map<Artefact, Tried>> => {
  const env = customerEnvironment(values, caFile)
  const skill = read(skillFile)
  const tried = new Map<Artefact, Tried>()
  for (const artefact of artefacts) {
    const tryIt = serverTrials[artefact.kind]
    if (tryIt) {
      tried.set(artefact, await tryIt(artefact, { out, dir: mkdtempSync(join(scratch, 'server-')), env: {} }))
      console.log(`✓ ${artefact.file}: unpacked, started`)
      continue
    }
    const ecosystem = ecosystems.find(({ kinds }) => kinds.includes(artefact.kind))
    if (!ecosystem) throw new Error(`Nobody can install ${artefact.file}`)
    const dir = mkdtempSync(join(scratch, `${artefact.kind}-`))
    const installed = await ecosystem.install(artefact, { out, dir, env })
    const [first] = blocksOf(read(ecosystem.readme), ecosystem.language)
    const output = await installed.run(withValues(first ?? '', values))
    if (!output.includes('completed')) throw new Error(`${ecosystem.readme}: the first example printed ${output}`)
    const programs = ecosystem.runsSkill ? await tryPrograms(skill, ecosystem.language, installed) : 0
    console.log(`✓ ${artefact.file}: installed, first example, ${programs} programs of the skill`)
    tried.set(artefact, installed)
  }
  const commands = await tryCommands(skill, env, repositoryDir)
  console.log(`✓ ${skillFile}: ${commands} blocks of commands`)
  return tried
}

const customerEnvironment = ({ baseUrl, apiKey, agentId }: Values, caFile: string): NodeJS.ProcessEnv => ({
  ...process.env,
  ARS_BASE_URL: baseUrl,
  ARS_API_KEY: apiKey,
  ARS_AGENT_ID: agentId,
  ARS_CA_FILE: caFile,
  NODE_EXTRA_CA_CERTS: caFile,
  SSL_CERT_FILE: caFile,
  CURL_CA_BUNDLE: caFile,
})

/** The bill of materials and the checksums. */
const writePapers = async (artefacts: readonly Artefact[], tried: ReadonlyMap<Artefact, Tried>): Promise<void> => {
  const timestamp = await command('git', ['log', '-1', '--format=%cI'], { cwd: repositoryDir })
  const dependencies = new Map([...tried.values()].flatMap((each) => each.dependencies.map((one) => [one.purl, one])))
  const sbom = sbomOf({
    out,
    version: JSON.parse(read('package.json')).version,
    timestamp: new Date(timestamp.trim()).toISOString(),
    artefacts,
    dependencies: [...dependencies.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1)),
    needs: Object.fromEntries([...tried].map(([artefact, { needs }]) => [artefact.purl, needs])),
  })
  writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`)
  writeFileSync(join(out, checksumsFile), checksumsOf(out))
}

const sign = (key: string): void =>
  writeFileSync(join(out, `${checksumsFile}.sig`), signatureOf(readFileSync(join(out, checksumsFile), 'utf8'), key))

process.exitCode = await main()
