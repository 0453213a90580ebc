import { type Agent, type AgentRunService, ApiError, type Pipeline, type PipelineChange } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { changedFields } from '../agent-files.ts'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { type FileProblem, type PipelineFile, problemText, readPipelineFile } from '../pipeline-file.ts'
import { acting, type Session } from '../session.ts'
import { namesAgents, withAgentIds } from '../step-agents.ts'
import { clean, oneLine, toJson } from '../text.ts'

export const addPipelineApply = (pipelines: Command): void => {
  withExamples(
    pipelines
      .command('apply')
      .description('create or change the pipeline with the name in a file; repeating it changes nothing')
      .requiredOption(
        '-f, --file <file>',
        'a YAML or JSON file with the body of a pipeline, or - for stdin; a step may name its agent by id, name or catalog key',
      )
      .option('--check', 'only check the file; exits 1 if it has problems')
      .action(acting(apply)),
    'ars pipelines apply -f invoices.yaml --check',
    'ars pipelines apply -f invoices.yaml',
    'cat invoices.yaml | ars pipelines apply -f -',
  )
}

type Options = { file: string; check?: boolean }

const apply = async (session: Session, options: Options) => {
  const { terminal, signal } = session
  const client = session.client()
  const file = await readPipelineFile(options.file)
  const fields = await resolved(client, file, signal)
  const problems = await problemsOf(client, fields, signal)
  if (options.check) {
    const shown = problems.map((problem) => ({ ...problem, ...lineOf(file, problem) }))
    if (terminal.isJson) terminal.result({ object: 'pipeline_check', file: file.file, problems: shown }, () => '')
    else if (problems.length === 0) terminal.result(null, () => `${file.file} can be saved.`)
    if (problems.length === 0) return undefined
    if (terminal.isJson) return exitCodes.failed
  }
  if (problems.length > 0) throw refusal(file, problems)
  const done = await telling(file, () => save(client, fields, signal))
  terminal.result({ file: file.file, ...done }, () => describeApplied(done))
  return undefined
}

type Fields = Readonly<Record<string, unknown>> & { name: string }

/** The body of the request, with the ids of the agents. */
const resolved = async (client: AgentRunService, file: PipelineFile, signal: AbortSignal): Promise<Fields> => {
  const { definition } = file.fields
  const agents = namesAgents(definition) ? await activeAgents(client, signal) : []
  const found = withAgentIds(definition, agents)
  if (found.problems.length > 0) {
    throw refusal(
      file,
      found.problems,
      'Hire agents of the catalog with: ars agents hire <key>. List agents with: ars agents list',
    )
  }
  return { ...file.fields, name: file.name, definition: found.definition }
}

const activeAgents = async (client: AgentRunService, signal: AbortSignal): Promise<Agent[]> => {
  const found: Agent[] = []
  for await (const agent of client.agents.list({ status: 'active', limit: cliBounds.page.count }, { signal }))
    found.push(agent)
  return found
}

type CheckParams = Parameters<AgentRunService['pipelines']['check']>[0]
type CreateParams = Parameters<AgentRunService['pipelines']['create']>[0]
type UpdateParams = Parameters<AgentRunService['pipelines']['update']>[1]

/** A request that is malformed is refused with details; one that is well-formed gets a list of problems. */
const problemsOf = async (
  client: AgentRunService,
  { definition }: Fields,
  signal: AbortSignal,
): Promise<FileProblem[]> => {
  try {
    const { problems } = await client.pipelines.check({ definition } as CheckParams, { signal })
    return problems.map(({ param, message, position }) => ({ param, message, position }))
  } catch (error) {
    return problemsIn(error)
  }
}

/** The details of a refusal, or the error again if it has none. */
const problemsIn = (error: unknown): FileProblem[] => {
  if (!(error instanceof ApiError) || (error.code !== 'invalid_request' && error.code !== 'config_invalid')) throw error
  const found = error.details.flatMap((detail) => {
    const { param, message } = (detail ?? {}) as { param?: unknown; message?: unknown }
    return typeof param === 'string' && typeof message === 'string' ? [{ param, message, position: null }] : []
  })
  if (found.length === 0) throw error
  return found
}

const telling = async <Result>(file: PipelineFile, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    throw refusal(file, problemsIn(error))
  }
}

const refusal = (file: PipelineFile, problems: readonly FileProblem[], advice: string | null = null): CommandError =>
  new CommandError(`${file.file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}`, {
    code: 'config_invalid',
    exitCode: exitCodes.failed,
    details: problems.map((problem) => problemText(file, problem)),
    advice,
  })

const lineOf = (file: PipelineFile, { param, position }: FileProblem): { line: number; column: number } => {
  const { line, column } = file.placeOf(param, position)
  return { line, column }
}

type Applied = {
  change: 'create' | 'update' | 'none'
  id: string
  name: string
  version: number
  previous_version: number | null
  changes: readonly PipelineChange[]
}

const save = async (client: AgentRunService, fields: Fields, signal: AbortSignal): Promise<Applied> => {
  const existing = await findPipeline(client, fields.name, signal)
  if (!existing) {
    const { id, name, version } = await client.pipelines.create(fields as unknown as CreateParams, { signal })
    return { change: 'create', id, name, version, previous_version: null, changes: [] }
  }
  const { id, name, version } = existing
  const changed = changedParts(fields, existing)
  if (changed.length === 0) return { change: 'none', id, name, version, previous_version: version, changes: [] }
  const body = Object.fromEntries(changed.map((field) => [field, fields[field]]))
  // The version keeps this change from undoing one that somebody else makes at the same time.
  const after = await client.pipelines.update(id, { ...body, version } as UpdateParams, { signal })
  const changes =
    after.version === version
      ? []
      : (await client.pipelines.diff(id, version, { to: after.version }, { signal })).changes
  const metadata = changed.includes('metadata')
    ? [{ path: 'metadata', old: existing.metadata, new: after.metadata }]
    : []
  const all = [...changes, ...metadata]
  return { change: 'update', id, name, version: after.version, previous_version: version, changes: all }
}

/** The service keeps a definition as it was sent, so a field that the file leaves out was removed. */
const changedParts = (fields: Fields, existing: Pipeline): string[] => {
  const { definition, ...others } = fields
  const isSame = toJson(sorted(definition)) === toJson(sorted(existing.definition))
  return [...changedFields(others, existing as unknown as Record<string, unknown>), ...(isSame ? [] : ['definition'])]
}

/** The order of the fields of an object has no meaning. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]))
}

const findPipeline = async (client: AgentRunService, name: string, signal: AbortSignal): Promise<Pipeline | null> => {
  const found: Pipeline[] = []
  const pages = client.pipelines.list({ q: name, status: 'active', limit: cliBounds.page.count }, { signal })
  for await (const pipeline of pages) if (pipeline.name === name) found.push(pipeline)
  if (found.length > 1) {
    throw new CommandError(`Several pipelines have the name ${name}`, {
      advice: `Rename or archive all but one: ars pipelines archive ${found[0]?.id}`,
    })
  }
  return found[0] ?? null
}

const describeApplied = ({ change, id, name, version, previous_version, changes }: Applied): string => {
  const which = `${clean(name)} (${id})`
  if (change === 'create') return `${which} was created: version ${version}.`
  if (change === 'none') return `${which} is unchanged: version ${version}.`
  const versions =
    version === previous_version ? `version ${version}` : `version ${version}, before ${previous_version}`
  return [`${which} was changed: ${versions}.`, ...changes.map(changeLine)].join('\n')
}

const changeLine = (change: PipelineChange): string =>
  `  ${oneLine(change.path)}: ${shortValue(change.old)} → ${shortValue(change.new)}`

const shortValue = (value: unknown): string =>
  value === null ? 'none' : oneLine(toJson(value), cliBounds.shortValue.chars)
