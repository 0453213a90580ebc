import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import { startTemporaryStack, stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { type Generator, generators } from './generators.ts'
import { run } from './tools.ts'

const help = `pnpm generators [name...]: clients that foreign generators write from openapi.json.

Each generates a client, which must compile or import and create a run at the service. The document that passed is in
proof/generators/proven.txt, by its hash; while it is unchanged, nothing is done.

  --force        does it anyway
  a name         does it for the generators whose name contains it, and records nothing
`

const document = join(repositoryDir, 'packages/contract/openapi.json')
const provenFile = join(import.meta.dirname, 'proven.txt')

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    options: { force: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const isPart = positionals.length > 0
  if (values.help) {
    console.log(help)
    return 0
  }
  const hash = createHash('sha256').update(readFileSync(document)).digest('hex')
  if (!values.force && !isPart && readFileSync(provenFile, 'utf8').trim() === hash) {
    console.log(`Generators: openapi.json is the one that was proven, ${hash.slice(0, 12)}.`)
    return 0
  }
  stopStacksOnSignals()
  const chosen = generators.filter(({ name }) => !isPart || positionals.some((each) => name.includes(each)))
  const failed = await prove(chosen)
  if (failed > 0) return 1
  if (!process.env.CI && !isPart) writeFileSync(provenFile, `${hash}\n`)
  return 0
}

/** Tries the generators against a running service, and returns how many failed. */
const prove = async (chosen: readonly Generator[]): Promise<number> => {
  const scratch = mkdtempSync(join(tmpdir(), 'ars-generators-'))
  const temporary = await startTemporaryStack('generators')
  let failed = 0
  try {
    const server = temporary.stack.server({ role: 'all' })
    await server.start()
    const env = {
      ...process.env,
      BASE_URL: `${server.url}/v2`,
      API_KEY: temporary.seed.api_key,
      AGENT_ID: temporary.agentId('test-echo'),
      CA_FILE: temporary.stack.tls.certFile,
    }
    for (const [n, { name, prove: proveOne }] of chosen.entries()) {
      const begun = performance.now()
      const folder = join(scratch, String(n))
      mkdirSync(folder)
      const { mark, said } = await proveOne({ document, folder, run, env }).then(
        (answer) => ({ mark: '✓', said: answer }),
        (error: unknown) => ({ mark: '✗', said: error instanceof Error ? error.message : String(error) }),
      )
      console.log(
        `${mark} ${name.padEnd(26)} ${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s   ${said}`,
      )
      if (mark === '✗') failed++
    }
  } finally {
    await temporary.dispose({ keepFiles: false })
    rmSync(scratch, { recursive: true, force: true })
  }
  console.log(failed === 0 ? 'Generators: all clients work.' : `Generators: ${failed} failed.`)
  return failed
}

process.exitCode = await main()
