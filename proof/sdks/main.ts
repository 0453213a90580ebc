import { parseArgs } from 'node:util'
import { startTemporaryStack, stopStacksOnSignals, type TemporaryStack } from '../lab/stack/temporary-stack.ts'
import { goSdk } from './go.ts'
import { curlGuides } from './guides.ts'
import { pythonSdk } from './python.ts'
import type { Sdk } from './sdk.ts'
import { streamThroughKills } from './streams.ts'
import { startTlsFront, type TlsFront } from './tls-front.ts'
import { typescriptSdk } from './typescript.ts'

const sdks: readonly Sdk[] = [typescriptSdk, goSdk, pythonSdk, curlGuides]

/** Where the guides register a receiver, to which nothing is delivered. */
const guidesPort = 8455

const help = `pnpm sdks [name...]: judges the SDKs: their own tools and tests, the transcripts of sdks/conformance, faults that the
transcripts must find, and their examples against the running service.

  --only <part>   only the steps whose name has this part, and those that they need
  --streams <n>   instead, opens this number of streams with each SDK while the gateway is killed again and again
  names: ${sdks.map(({ name }) => name.toLowerCase()).join(', ')}; without a name, all of them
`

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', default: false }, only: { type: 'string' }, streams: { type: 'string' } },
    allowPositionals: true,
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  const chosen = sdks.filter(({ name }) => positionals.length === 0 || positionals.includes(name.toLowerCase()))
  if (chosen.length === 0) throw new Error(`There is no SDK ${positionals.join(', ')}.`)
  stopStacksOnSignals()
  const begun = performance.now()
  const temporary = await startTemporaryStack('sdks')
  const closing: TlsFront[] = []
  let failed = 0
  try {
    if (values.streams !== undefined) return await runStreams(chosen, temporary, Number(values.streams))
    const { tls } = temporary.stack
    const front = await startTlsFront(tls)
    closing.push(front)
    const receiversOnThisComputer = {
      ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
      ARS_EGRESS_ALLOW_PORTS: `${guidesPort},${front.port}`,
      ARS_EGRESS_CA_FILE: tls.certFile,
    }
    const server = temporary.stack.server({ role: 'all', env: receiversOnThisComputer })
    await server.start()
    const service = {
      baseUrl: `${server.url}/v2`,
      apiKey: temporary.seed.api_key,
      caFile: tls.certFile,
      front,
    }
    for (const sdk of chosen) {
      for (const { name, work, prepares = false } of sdk.steps(service)) {
        if (!prepares && !name.includes(values.only ?? '')) continue
        const from = performance.now()
        const { mark, found } = await work().then(
          (answer) => ({ mark: '✓', found: answer }),
          (error: unknown) => ({ mark: '✗', found: error instanceof Error ? error.message : String(error) }),
        )
        const seconds = ((performance.now() - from) / 1000).toFixed(1).padStart(5)
        console.log(`${mark} ${`${sdk.name}: ${name}`.padEnd(28)} ${seconds} s   ${found}`)
        if (mark === '✓') continue
        failed++
        break
      }
    }
  } finally {
    for (const each of closing) each.close()
    await temporary.dispose({ keepFiles: failed > 0 })
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  console.log(failed === 0 ? `SDKs: all steps passed, ${seconds} s.` : `SDKs: ${failed} failed, ${seconds} s.`)
  return failed === 0 ? 0 : 1
}

const runStreams = async (chosen: readonly Sdk[], temporary: TemporaryStack, count: number): Promise<number> => {
  let failed = 0
  for (const sdk of chosen) {
    const found = await streamThroughKills(sdk, temporary, count)
    if (!found) continue
    const { streams, frames, kills, faults } = found
    console.log(
      `${sdk.name}: ${streams} streams, ${frames} frames, ${kills} kills of the gateway, ${faults.length} faults`,
    )
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
    if (faults.length > 0 || streams !== count) failed++
  }
  return failed === 0 ? 0 : 1
}

process.exitCode = await main()
