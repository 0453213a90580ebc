import type { Agent, AgentRunService } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { type AgentFile, changedFields, readAgentFiles } from '../agent-files.ts'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { acting, type Session } from '../session.ts'

export const addApply = (program: Command): void => {
  const agents = program.commands.find((command) => command.name() === 'agents') as Command
  withExamples(
    agents
      .command('apply')
      .description('create and change custom agents so that they equal files; repeating it changes nothing')
      .requiredOption('-f, --file <file>', 'a YAML or JSON file, or a folder of them; each has the body of an agent')
      .option('--plan', 'only show what would change; exits 1 if something would')
      .action(acting(apply)),
    'ars agents apply -f agents/',
    'ars agents apply -f agents/ --plan',
  )
}

type Step = {
  file: string
  name: string
  id: string | null
  change: 'create' | 'update' | 'none'
  fields: readonly string[]
}

const apply = async (session: Session, { file, plan = false }: { file: string; plan?: boolean }) => {
  const { terminal, signal } = session
  const client = session.client()
  const wanted = readAgentFiles(file)
  const steps = planOf(wanted, await agentsByName(client, signal))
  const made: Step[] = []
  for (const [at, step] of steps.entries()) {
    made.push(plan ? step : { ...step, id: await carryOut(client, step, { ...wanted[at]?.fields }, signal) })
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
  for await (const agent of client.agents.list({ status: 'active', source: 'custom', limit: 100 }, { signal })) {
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

type CreateParams = Parameters<AgentRunService['agents']['create']>[0]

const carryOut = async (
  client: AgentRunService,
  step: Step,
  fields: Record<string, unknown>,
  signal: AbortSignal,
): Promise<string | null> => {
  // The service checks the fields and names each error by its path.
  if (step.change === 'create') return (await client.agents.create(fields as CreateParams, { signal })).id
  if (step.change === 'update' && step.id !== null) {
    const changes = Object.fromEntries(step.fields.map((name) => [name, fields[name]]))
    await client.agents.update(step.id, changes, { signal })
  }
  return step.id
}
