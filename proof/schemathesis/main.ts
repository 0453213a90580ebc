import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PartError } from '@ars/tools/dev/parts/part'
import { repositoryDir } from '@ars/tools/dev/server'
import { keepOutcome } from '../lab/report/keep.ts'
import { claim } from '../lab/report/outcome.ts'
import { startTemporaryStack, stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { attack } from './attack.ts'
import { keepSchemathesis } from './python-home.ts'
import { type Outcome, totalOf } from './report.ts'

const help = `pnpm schemathesis: tests the running service against openapi.json with generated requests.

Starts the whole service on free ports. Schemathesis generates requests from the document: its examples, the
boundary values of every field, random values and chains of calls. The exceptions are in proof/schemathesis/schemathesis.toml.

  --ci           1,000 cases instead of 20,000
  --cases <n>    this number of cases
  --seed <n>     repeats the requests of an earlier run
  --keep         keeps the logs of the service even when all cases pass
`

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      ci: { type: 'boolean', default: false },
      cases: { type: 'string' },
      seed: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  stopStacksOnSignals()
  const begun = performance.now()
  const cases = Number(values.cases ?? (values.ci ? 1_000 : 20_000))
  const python = await keepSchemathesis(join(repositoryDir, '.dev', 'schemathesis'), console.log)
  const temporary = await startTemporaryStack('schemathesis')
  let outcome: Outcome | undefined
  try {
    const found = await attack(temporary, { python, cases, seed: values.seed })
    outcome = { ...found, cases, seed: values.seed, seconds: (performance.now() - begun) / 1000 }
  } finally {
    const keepFiles = !outcome?.hasPassed || values.keep
    await temporary.dispose({ keepFiles })
    if (keepFiles) console.log(`The logs are in ${temporary.stack.dir}.`)
  }
  const total = totalOf(outcome.answers)
  keepOutcome({
    proof: 'schemathesis',
    size: values.ci ? 'short' : 'full',
    seed: values.seed,
    outcome: {
      claims: [
        claim('every answer is one of the document', outcome.hasPassed, 'the log names the cases'),
        claim('as many cases as asked for are answered', total >= cases, `${total} of ${cases}`),
      ],
      metrics: [
        ['cases', cases],
        ['answers', total],
        ['operations', Object.keys(outcome.answers).length],
      ],
    },
  })
  console.log(
    `Schemathesis: ${outcome.hasPassed ? 'all cases passed' : 'FAILED'}, ${total} answers, ${outcome.seconds.toFixed(0)} s.`,
  )
  if (total >= cases) return outcome.hasPassed ? 0 : 1
  console.log(`Expected at least ${cases} answers.`)
  return 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exitCode = 1
}
