import type { Run, RunsActParams } from '@agent-run-service/sdk'
import { Argument, type Command, Option } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { readMetadata, readObject, readValue } from '../input.ts'
import { type PageOptions, tellPage, wholeNumber, withPaging } from '../list.ts'
import { acting, type Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { repeatedly, withWatching } from '../watching.ts'
import { decide, namedQuestion } from './run-decision.ts'
import { type Frames, followRun } from './run-stream.ts'
import { exitCodeOf, exitCodeOfWait, tellQuestions, tellRun } from './run-view.ts'
import { describeStep } from './step-view.ts'

export const addRuns = (program: Command): void => {
  const group = program.command('runs').description('create, follow and manage runs')
  const runs = withExamples(group, `ars runs create test-echo --input '{"query":"Hello"}'`)
  withExamples(
    runs
      .command('create <agent>')
      .description('run an agent, by its id or its name; the result goes to stdout')
      .option('--input <json>', 'input of the agent: JSON, @file, or - for stdin', '{}')
      .option('--metadata <json>', 'metadata, an object of strings: JSON, @file, or -')
      .option('--timeout-seconds <n>', 'timeout of the run', wholeNumber)
      .option('--idempotency-key <key>', 'requests with the same key create one run')
      .addOption(
        new Option('--wait <seconds>', 'how long to wait for the result, up to 300 (default 55)')
          .argParser(wholeNumber)
          .conflicts(['async', 'stream']),
      )
      .addOption(new Option('--async', 'do not wait for the result').conflicts('stream'))
      .option('--stream', 'stream the output')
      .action(acting(create)),
    `ars runs create test-echo --input '{"query":"Hello"}'`,
    'ars runs create ag_01m7ek7549ej9s2d1m7z8n0ycp --input @question.json --stream',
    `echo '{"query":"Hello"}' | ars runs create test-echo --input - --json`,
  )
  withExamples(
    runs
      .command('stream <id>')
      .alias('watch')
      .description('stream a run from its first frame until it ends')
      .option('--after <frame>', 'start after this frame', wholeNumber)
      .action(acting(stream)),
    'ars runs stream run_01m7ek7549ej9s2d1m7z8n0ycp',
  )
  withExamples(
    withWatching(
      withPaging(runs.command('steps <id>').description('show the steps of a run with its tool calls')),
    ).action(acting(steps)),
    'ars runs steps run_01m7ek7549ej9s2d1m7z8n0ycp',
  )
  withExamples(
    runs
      .command('act <id>')
      .description('answer an open question of a run, or send it a message')
      .addArgument(
        new Argument('[type]', 'the action; without one, a terminal shows the question and asks').choices([
          'approve',
          'reject',
          'respond',
          'message',
        ]),
      )
      .argument('[payload]', 'respond: JSON, @file or -; message: the text')
      .option('--action <id>', 'the question; without it, the only open one is shown and decided')
      .option('--comment <text>', 'reason; it is recorded')
      .action(acting(act)),
    'ars runs act run_01m7ek7549ej9s2d1m7z8n0ycp',
    'ars runs act run_01m7ek7549ej9s2d1m7z8n0ycp approve --comment "looks right"',
    `ars runs act run_01m7ek7549ej9s2d1m7z8n0ycp respond '{"amount":12}'`,
    'ars runs act run_01m7ek7549ej9s2d1m7z8n0ycp message "Make it shorter"',
  )
}

type CreateOptions = {
  input: string
  metadata?: string
  timeoutSeconds?: number
  idempotencyKey?: string
  wait?: number
  async?: boolean
  stream?: boolean
}

const create = async (session: Session, agent: string, options: CreateOptions) => {
  const { terminal, signal } = session
  const { metadata, timeoutSeconds, idempotencyKey } = options
  const body = {
    input: await readObject(options.input, '--input', 'json'),
    ...(metadata === undefined ? {} : { metadata: await readMetadata(metadata) }),
    ...(timeoutSeconds === undefined ? {} : { timeout_seconds: timeoutSeconds }),
  }
  const client = session.client()
  const params = { agent_id: await findAgentId(client, agent, signal), ...body }
  const keyed = { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
  if (options.stream) return await followRun(session, client.runs.stream(params, keyed))
  const run = await client.runs.create(params, { ...keyed, ...waitingOf(options) })
  tellRun(terminal, run)
  return options.async ? exitCodeOf(run) : exitCodeOfWait(run)
}

const waitingOf = ({ async: isAsync, wait }: CreateOptions) => {
  if (isAsync) return { wait: false as const }
  return wait === undefined ? {} : { wait }
}

const stream = async (session: Session, id: string, { after }: { after?: number }) => {
  const frames: Frames = session
    .followingClient()
    .runs.watch(id, after === undefined ? {} : { after }, { signal: session.signal })
  return await followRun(session, frames, id)
}

const steps = async (session: Session, id: string, options: PageOptions & { watch?: boolean }) => {
  const { terminal, client, signal } = session
  const { limit, after } = options
  await repeatedly(session, options, async () => {
    const page = await client().runs.steps(
      id,
      { ...(limit === undefined ? {} : { limit }), ...(after === undefined ? {} : { after: Number(after) }) },
      { signal },
    )
    if (terminal.isJson || page.data.length === 0) {
      await tellPage(terminal, page, {
        all: options.all,
        columns: { NUMBER: ({ number }) => String(number) },
        nothing: 'No steps yet.',
      })
      return
    }
    const shown = options.all ? page : page.data
    for await (const step of shown) terminal.each(step, () => describeStep(terminal, step))
    if (page.hasMore && !options.all) terminal.note(`More items: --after ${page.lastId}`)
  })
  return undefined
}

type ActOptions = { action?: string; comment?: string }

const act = async (
  session: Session,
  id: string,
  type: RunsActParams['type'] | undefined,
  payload: string | undefined,
  { action, comment }: ActOptions,
) => {
  const { terminal, client, signal } = session
  if (type === undefined) return tellActed(terminal, await decide(session, id, { action, comment }))
  const sent = await payloadOf(type, payload)
  const named = type === 'message' ? undefined : (action ?? (await questionOf(session, id)))
  const body: RunsActParams = {
    type,
    ...sent,
    ...(named === undefined ? {} : { action_id: named }),
    ...(comment === undefined ? {} : { comment }),
  }
  return tellActed(terminal, await client().runs.act(id, body, { signal }))
}

const questionOf = async ({ terminal, client, signal }: Session, id: string): Promise<string | undefined> => {
  const run = await client().runs.get(id, { signal })
  return namedQuestion(run.required_actions, () => tellQuestions(terminal, run))
}

const tellActed = (terminal: Terminal, run: Run) => {
  terminal.result(run, () => `${run.id} is ${run.status}.`)
  if (!terminal.isJson && exitCodeOf(run) === exitCodes.ok) terminal.note(`Follow it with: ars runs stream ${run.id}`)
  return undefined
}

const payloadOf = async (type: RunsActParams['type'], payload: string | undefined) => {
  if (type === 'approve' || type === 'reject') {
    if (payload !== undefined)
      throw new CommandError(`${type} takes no payload`, { advice: 'Give a reason with --comment.' })
    return {}
  }
  if (payload === undefined) throw new CommandError(`${type} needs a payload`, { advice: payloadAdvice[type] })
  return { payload: type === 'message' ? { message: payload } : await readValue(payload, 'The payload', 'json') }
}

const payloadAdvice = {
  respond: `Example: ars runs act <id> respond '{"amount":12}'`,
  message: 'Example: ars runs act <id> message "Make it shorter"',
} as const
