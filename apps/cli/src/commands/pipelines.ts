import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { readMetadata, readObject } from '../input.ts'
import { type PageOptions, pageOf, tellPage, wholeNumber, withPaging } from '../list.ts'
import { localTime } from '../moment.ts'
import { findPipelineId } from '../pipeline-name.ts'
import { acting, type Session } from '../session.ts'
import { addPipelineApply } from './pipeline-apply.ts'
import { type Following, followStarted, withFollowing } from './pipeline-run-stream.ts'

/** Lists and starts pipelines, and keeps them as files. The other commands follow from the operations of the API. */
export const addPipelines = (program: Command): void => {
  const pipelines = withExamples(
    program.command('pipelines').description('keep pipelines as files, and start them'),
    'ars pipelines apply -f invoices.yaml',
    `ars pipelines run Invoices --input '{"document":"…"}' --follow`,
  )
  withExamples(
    withPaging(pipelines.command('list').description('list active pipelines'))
      .option('--search <text>', 'only pipelines whose name or description contains this text')
      .option('--archived', 'only archived pipelines')
      .action(acting(list)),
    'ars pipelines list',
  )
  addPipelineApply(pipelines)
  withExamples(
    withFollowing(pipelines.command('run <pipeline>'))
      .description('start a pipeline, by its id or its name')
      .option('--input <json>', 'input of the pipeline: JSON, @file, or - for stdin', '{}')
      .option('--metadata <json>', 'metadata, an object of strings: JSON, @file, or -')
      .option('--timeout-seconds <n>', 'timeout of the pipeline run, waits for people included', wholeNumber)
      .option('--idempotency-key <key>', 'requests with the same key start one pipeline run')
      .action(acting(run)),
    `ars pipelines run Invoices --input '{"document":"…"}'`,
    'ars pipelines run Invoices --input @invoice.json --follow',
    'ars pipelines run pl_01kf3xw0fqe1vrr9m8sdv2wbx4 --input @invoice.json --wait > result.json',
  )
}

const list = async (
  { terminal, client, signal }: Session,
  options: PageOptions & { search?: string; archived?: boolean },
) => {
  const { search, archived = false } = options
  const asked = { ...pageOf(options), status: archived ? 'archived' : 'active', ...(search && { q: search }) } as const
  await tellPage(terminal, await client().pipelines.list(asked, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      VERSION: ({ version }) => String(version),
      STEPS: ({ definition }) => String(definition.steps.length),
      UPDATED: ({ updated_at }) => localTime(updated_at),
    },
    nothing: 'No pipelines found. Create one with: ars pipelines apply -f <file>',
  })
  return undefined
}

type RunOptions = Following & {
  input: string
  metadata?: string
  timeoutSeconds?: number
  idempotencyKey?: string
}

const run = async (session: Session, given: string, options: RunOptions) => {
  const { signal } = session
  const { metadata, timeoutSeconds, idempotencyKey } = options
  const body = {
    input: await readObject(options.input, '--input', 'json'),
    ...(metadata === undefined ? {} : { metadata: await readMetadata(metadata) }),
    ...(timeoutSeconds === undefined ? {} : { timeout_seconds: timeoutSeconds }),
  }
  const client = session.client()
  const id = await findPipelineId(client, given, signal)
  const keyed = { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
  return followStarted(session, await client.pipelineRuns.create(id, body, keyed), options)
}
