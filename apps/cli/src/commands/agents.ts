import { type AgentRunService, type AgentsPromptParams, type Deployment, PermissionError } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { readObject } from '../input.ts'
import { localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { fields } from '../table.ts'
import { statusStyle } from '../terminal.ts'
import { clean } from '../text.ts'

export const addAgents = (program: Command): void => {
  const agents = withExamples(
    program.command('agents').description('create, list, show, change and try agents'),
    'ars agents list',
  )
  withExamples(
    agents.command('get <agent>').description('show an agent, by its id or its name').action(acting(get)),
    'ars agents get test-echo',
  )
  withExamples(
    agents
      .command('prompt [agent]')
      .description('show the messages that the model of an agent would receive, by its id or its name')
      .requiredOption('--input <json>', 'input of a run, as JSON or YAML: inline, @file, or - for stdin')
      .option('--agent-version <number>', 'an older version of the agent', Number)
      .option('--config <json>', '`instructions` and `input_template` to try, as JSON or YAML: inline, @file, or -')
      .action(acting(prompt)),
    `ars agents prompt test-echo --input '{"query":"Hello"}'`,
    `ars agents prompt --config '{"input_template":"Translate: \${{ input.text }}"}' --input '{"text":"Hello"}'`,
  )
}

const get = async (session: Session, given: string) => {
  const { terminal, signal } = session
  const client = session.client()
  const agent = await client.agents.get(await findAgentId(client, given, signal), { signal })
  const canary = terminal.isJson ? undefined : await canaryOf(client, agent.id, signal)
  const policies = terminal.isJson ? [] : await policiesOf(client, agent.id, signal)
  terminal.result(agent, () => {
    const head = fields([
      ['id', agent.id],
      ['name', clean(agent.name)],
      ['status', terminal.paint(statusStyle(agent.status), agent.status)],
      ['kind', agent.kind],
      ['source', agent.catalog_key === null ? agent.source : `catalog: ${agent.catalog_key}`],
      ['version', String(agent.version)],
      [
        'release',
        canary
          ? `version ${canary.version} is a canary with ${canary.traffic_percent} % of new runs (${canary.id})`
          : null,
      ],
      ['policies', policies.length > 0 ? policies.join(', ') : null],
      ['description', agent.description === null ? null : clean(agent.description)],
      ['updated', localTime(agent.updated_at)],
    ])
    const parts = [
      ['Config', agent.config],
      ['Input schema', agent.input_schema],
      ['Output schema', agent.output_schema],
    ] as const
    const shown = parts.filter(([, value]) => value !== null)
    const texts = shown.map(([name, value]) => {
      return `${terminal.paint('strong', name)}\n${clean(JSON.stringify(value, null, 2))}`
    })
    return [head, ...texts].join('\n\n')
  })
  return undefined
}

/** The canary of an agent. */
const canaryOf = async (
  client: AgentRunService,
  agentId: string,
  signal: AbortSignal,
): Promise<Deployment | undefined> => {
  const { data } = await ifAllowed(
    client.deployments.list({ agent_id: agentId, status: 'canary', limit: 1 }, { signal }),
  )
  return data[0]
}

/** The policies that are attached to an agent, or to its whole organisation. */
const policiesOf = async (client: AgentRunService, agentId: string, signal: AbortSignal): Promise<string[]> => {
  const { data, hasMore } = await ifAllowed(
    client.policies.list({ status: 'active', limit: cliBounds.idsTold.count }, { signal }),
  )
  const found: string[] = []
  for (const { id, name, mode } of data) {
    const attachments = await client.policies.attachments(id, { limit: cliBounds.page.count }, { signal })
    const own = attachments.data.find(
      ({ subject_type, subject_id }) => subject_type === 'organisation' || subject_id === agentId,
    )
    if (own) found.push(`${clean(name)} (${mode}${own.subject_type === 'organisation' ? ', of the organisation' : ''})`)
  }
  return hasMore ? [...found, 'and perhaps more: ars policies list'] : found
}

type Found<Item> = { data: readonly Item[]; hasMore: boolean }

/** A key that may read the agent may lack the scope for the rest. */
const ifAllowed = async <Item>(page: Promise<Found<Item>>): Promise<Found<Item>> => {
  try {
    return await page
  } catch (error) {
    if (error instanceof PermissionError) return { data: [], hasMore: false }
    throw error
  }
}

type PromptOptions = { input: string; agentVersion?: number; config?: string }

const prompt = async (session: Session, given: string | undefined, options: PromptOptions) => {
  const { terminal, signal } = session
  const client = session.client()
  const { agentVersion: version, config } = options
  const body: AgentsPromptParams = {
    input: await readObject(options.input, '--input'),
    ...(config !== undefined && { config: await readObject(config, '--config') }),
    ...(given !== undefined && { agent_id: await findAgentId(client, given, signal) }),
    ...(version !== undefined && { version }),
  }
  const shown = await client.agents.prompt(body, { signal })
  terminal.result(shown, () =>
    shown.messages.map(({ role, content }) => `${terminal.paint('strong', role)}\n${clean(content)}`).join('\n\n'),
  )
  return undefined
}
