import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import { startTemporaryStack, stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { type Generator, generators } from './generators.ts'
import { run } from './tools.ts'

const help = `pnpm generators [name...]: clients that foreign generators write from openapi.json.

Each generates a client, which must compile or import and create a run at the service.

  a name         does it for the generators whose name contains it
`

const document = join(repositoryDir, 'packages/contract/openapi.json')

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  stopStacksOnSignals()
  const isChosen = (name: string) => positionals.length === 0 || positionals.some((each) => name.includes(each))
  return (await prove(generators.filter(({ name }) => isChosen(name)))) > 0 ? 1 : 0
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
