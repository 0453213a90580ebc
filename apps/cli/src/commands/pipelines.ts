import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { readMetadata, readObject } from '../input.ts'
import { wholeNumber } from '../list.ts'
import { findPipelineId } from '../pipeline-name.ts'
import { acting, type Session } from '../session.ts'
import { addPipelineApply } from './pipeline-apply.ts'
import { type Following, followStarted, withFollowing } from './pipeline-run-stream.ts'

/** Starts pipelines, and keeps them as files. The other commands follow from the operations of the API. */
export const addPipelines = (program: Command): void => {
  const pipelines = withExamples(
    program.command('pipelines').description('keep pipelines as files, and start them'),
    'ars pipelines apply -f invoices.yaml',
    `ars pipelines run Invoices --input '{"document":"…"}' --follow`,
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
