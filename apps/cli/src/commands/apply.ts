import type { Agent, AgentRunService, Rollout } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { type AgentFile, changedFields, readAgentFiles } from '../agent-files.ts'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { wholeNumber } from '../list.ts'
import { localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { clean } from '../text.ts'

export const addApply = (program: Command): void => {
  const agents = program.commands.find((command) => command.name() === 'agents') as Command
  withExamples(
    agents
      .command('apply')
      .description('create and change custom agents so that they equal files; repeating it changes nothing')
      .requiredOption('-f, --file <file>', 'a YAML or JSON file, or a folder of them; each has the body of an agent')
      .option('--plan', 'only show what would change; exits 1 if something would')
      .option(
        '--canary <percent>',
        'release changes to this part of new runs; without it, as `rollout` of the file says',
        wholeNumber,
      )
      .option('--force', 'also release a version that was rolled back')
      .action(acting(apply)),
    'ars agents apply -f agents/',
    'ars agents apply -f agents/ --plan',
    'ars agents apply -f agents/triage.yaml --canary 20',
  )
}

type Step = {
  file: string
  name: string
  id: string | null
  change: 'create' | 'update' | 'none'
  fields: readonly string[]
}

type ApplyOptions = { file: string; plan?: boolean; canary?: number; force?: boolean }

const apply = async (session: Session, { file, plan = false, canary, force = false }: ApplyOptions) => {
  const { terminal, signal } = session
  const client = session.client()
  const wanted = readAgentFiles(file)
  const steps = planOf(wanted, await agentsByName(client, signal))
  const rollout = canary === undefined ? undefined : ({ strategy: 'canary', traffic_percent: canary } as const)
  if (!plan && !force) await refuseRolledBack(client, steps, wanted, signal)
  const made: Step[] = []
  for (const [at, step] of steps.entries()) {
    made.push(
      plan
        ? step
        : { ...step, id: await carryOut(client, step, { ...wanted[at]?.fields, ...(rollout && { rollout }) }, signal) },
    )
  }
  terminal.list({
    value: { object: 'list', data: made },
    heads: [plan ? 'PLAN' : 'DONE', 'NAME', 'ID', 'FIELDS'],
    rows: made.map(({ change, name, id, fields }) => [change, name, id ?? '', fields.join(', ')]),
    nothing: '',
  })
  const changes = made.filter(({ change }) => change !== 'none').length
  if (!terminal.isJson) terminal.note(`${changes} of ${made.length} agents ${plan ? 'would change' : 'changed'}.`)
  return plan && changes > 0 ? exitCodes.failed : exitCodes.ok
}

const agentsByName = async (client: AgentRunService, signal: AbortSignal): Promise<Map<string, Agent[]>> => {
  const found = new Map<string, Agent[]>()
  for await (const agent of client.agents.list(
    { status: 'active', source: 'custom', limit: cliBounds.page.count },
    { signal },
  )) {
    found.set(agent.name, [...(found.get(agent.name) ?? []), agent])
  }
  return found
}

const planOf = (wanted: readonly AgentFile[], existing: ReadonlyMap<string, readonly Agent[]>): Step[] =>
  wanted.map(({ file, name, fields }) => {
    const [agent, ...others] = existing.get(name) ?? []
    if (others.length > 0) {
      throw new CommandError(`Several agents have the name ${name}`, {
        advice: 'Rename or archive all but one: ars agents archive <agent>',
      })
    }
    if (!agent) return { file, name, id: null, change: 'create', fields: Object.keys(fields) }
    const changed = changedFields(fields, agent as unknown as Record<string, unknown>)
    return { file, name, id: agent.id, change: changed.length > 0 ? 'update' : 'none', fields: changed }
  })

/** A version that was rolled back equals the file: an apply would release it once more. */
const refuseRolledBack = async (
  client: AgentRunService,
  steps: readonly Step[],
  wanted: readonly AgentFile[],
  signal: AbortSignal,
): Promise<void> => {
  for (const [at, { id, change, name }] of steps.entries()) {
    if (change !== 'update' || id === null) continue
    const [last] = (await client.deployments.list({ agent_id: id, limit: 1 }, { signal })).data
    if (last?.status !== 'rolled_back') continue
    const version = await client.agents.version(id, last.version, { signal })
    const fields = { ...wanted[at]?.fields }
    if (changedFields(fields, version as unknown as Record<string, unknown>).length > 0) continue
    const reason = last.rollback_reason === null ? '' : `: ${clean(last.rollback_reason)}`
    throw new CommandError(
      `${name} would release version ${last.version} again, which was rolled back at ${localTime(last.rolled_back_at)}${reason}`,
      { code: 'rolled_back', advice: 'Change the file, or release it nevertheless with --force.' },
    )
  }
}

type CreateParams = Parameters<AgentRunService['agents']['create']>[0]

const carryOut = async (
  client: AgentRunService,
  step: Step,
  fields: Record<string, unknown>,
  signal: AbortSignal,
): Promise<string | null> => {
  const { rollout, ...content } = fields
  // The service checks the fields and names each error by its path. A first version is released to all runs.
  if (step.change === 'create') return (await client.agents.create(content as CreateParams, { signal })).id
  if (step.change === 'update' && step.id !== null) {
    const changes = Object.fromEntries(step.fields.map((name) => [name, content[name]]))
    await client.agents.update(step.id, { ...changes, ...(rollout ? { rollout: rollout as Rollout } : {}) }, { signal })
  }
  return step.id
}
