import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { readBatchItems } from '../batch-items.ts'
import { withExamples } from '../describe.ts'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import { readMetadata } from '../input.ts'
import { wholeNumber } from '../list.ts'
import { acting, type Session } from '../session.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { toJson } from '../text.ts'
import { exportBatch } from './batch-export.ts'

const example = 'bat_01kf3xw0fqe1vrr9m8sdv2wbx4'

/** Creates batches and shows what became of them. The other commands follow from the operations of the API. */
export const addBatches = (program: Command): void => {
  const batches = withExamples(
    program.command('batches').description('run an agent for many inputs'),
    'ars batches create summariser -f documents.jsonl --watch',
    `ars batches export ${example} --out results.jsonl`,
  )
  withExamples(
    batches
      .command('create <agent>')
      .description('start a run of an agent, by its id or its name, for each item of a file')
      .requiredOption(
        '-f, --file <file>',
        'a JSON list or JSON Lines: inputs, or items with input and custom_id; - for stdin',
      )
      .option('--metadata <json>', 'metadata of each run, an object of strings: JSON, @file')
      .option('--timeout-seconds <n>', 'timeout of each run', wholeNumber)
      .option('--idempotency-key <key>', 'requests with the same key create one batch')
      .option('--watch', 'show the progress until the batch ends')
      .action(acting(create)),
    'ars batches create summariser -f documents.jsonl',
    'ars batches create summariser -f documents.jsonl --watch',
  )
  withExamples(
    batches
      .command('watch <batch>')
      .description('show the progress of a batch until it ends; exits 1 if an item failed or it was cancelled')
      .action(acting(watch)),
    `ars batches watch ${example}`,
  )
  withExamples(
    batches
      .command('export <batch>')
      .description('download all results as JSON Lines')
      .option('-o, --out <file>', 'the file to write; stdout by default')
      .action(acting(download)),
    `ars batches export ${example} --out results.jsonl`,
  )
}

type CreateOptions = {
  file: string
  metadata?: string
  timeoutSeconds?: number
  idempotencyKey?: string
  watch?: boolean
}

const create = async (session: Session, agent: string, options: CreateOptions) => {
  const { terminal, signal } = session
  const { metadata, timeoutSeconds, idempotencyKey } = options
  const items = await readBatchItems(options.file)
  const client = session.client()
  const body = {
    agent_id: await findAgentId(client, agent, signal),
    items,
    ...(metadata === undefined ? {} : { metadata: await readMetadata(metadata) }),
    ...(timeoutSeconds === undefined ? {} : { timeout_seconds: timeoutSeconds }),
  }
  const keyed = { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
  const batch = await client.batches.create(body, keyed)
  if (options.watch) return follow(session, batch)
  terminal.result(batch, () => `${batch.id} is ${batch.status}: ${batch.progress.items} items.`)
  if (!terminal.isJson) terminal.note(`Show its progress with: ars batches watch ${batch.id}`)
  return undefined
}

const watch = async (session: Session, id: string) =>
  follow(session, await session.client().batches.get(id, { signal: session.signal }))

const everyMs = 1_000

const follow = async (session: Session, first: Batch): Promise<ExitCode> => {
  const { terminal, signal } = session
  let batch = first
  let said = ''
  for (;;) {
    const counts = toJson([batch.status, batch.progress])
    if (terminal.isJson && counts !== said) terminal.each(batch, () => '')
    said = counts
    terminal.progress(progressText(batch))
    if (batch.finished_at !== null) break
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) {
      terminal.note(`The batch continues. Show its progress with:  ars batches watch ${batch.id}`)
      terminal.note(`Cancel it with:  ars batches cancel ${batch.id}`)
      return exitCodes.interrupted
    }
    batch = await session.client().batches.get(batch.id, { signal })
  }
  if (!terminal.isJson) tellEnd(terminal, batch)
  const { failed, cancelled } = batch.progress
  return batch.status === 'completed' && failed + cancelled === 0 ? exitCodes.ok : exitCodes.failed
}

const barChars = 30

const progressText = ({ progress }: Batch): string => {
  const done = doneOf(progress)
  const filled = Math.floor((barChars * done) / Math.max(1, progress.items))
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barChars - filled)}`
  return `${bar} ${done}/${progress.items}  ${progress.running} running  ${progress.failed} failed`
}

export const doneOf = ({ completed, failed, cancelled }: Batch['progress']): number => completed + failed + cancelled

const tellEnd = (terminal: Terminal, { id, status, progress }: Batch): void => {
  const { items, completed, failed, cancelled } = progress
  const counts = `${items} items: ${completed} completed, ${failed} failed, ${cancelled} cancelled`
  terminal.result(null, () => `${id} ${terminal.paint(statusStyle(status), status)}  ${counts}`)
  terminal.note(`Download the results with: ars batches export ${id} --out results.jsonl`)
}

const download = async (session: Session, id: string, { out }: { out?: string }) => {
  // An unknown batch is refused here, before a file is made.
  const batch = await session.client().batches.get(id, { signal: session.signal })
  const count = await exportBatch(session, batch, out)
  if (!session.terminal.isJson) session.terminal.note(`${count} results${out === undefined ? '' : ` in ${out}`}.`)
  return undefined
}
