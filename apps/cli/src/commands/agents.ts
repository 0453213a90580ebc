import type { Command } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { fields } from '../table.ts'
import { statusStyle } from '../terminal.ts'
import { clean } from '../text.ts'

export const addAgents = (program: Command): void => {
  const agents = withExamples(program.command('agents').description('list and show agents'), 'ars agents list')
  withExamples(
    withPaging(agents.command('list').description('list agents'))
      .option('--search <text>', 'only agents whose name or description contains this text')
      .action(acting(list)),
    'ars agents list --search summar',
  )
  withExamples(
    agents.command('get <agent>').description('show an agent, by its id or its name').action(acting(get)),
    'ars agents get test-echo',
  )
  withExamples(
    agents
      .command('stats <agent>')
      .description('count the active runs of an agent by state, by its id or its name')
      .action(acting(stats)),
    'ars agents stats test-echo',
  )
}

const list = async ({ terminal, client, signal }: Session, options: PageOptions & { search?: string }) => {
  const { search } = options
  const page = await client().agents.list({ ...pageOf(options), ...(search && { q: search }) }, { signal })
  await tellPage(terminal, page, {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STATUS: ({ status }) => status,
      KIND: ({ kind }) => kind,
      VERSION: ({ version }) => String(version),
      DESCRIPTION: ({ description }) => description ?? '',
    },
    nothing: 'No agents found.',
  })
  return undefined
}

const get = async (session: Session, given: string) => {
  const { terminal, signal } = session
  const client = session.client()
  const agent = await client.agents.get(await findAgentId(client, given, signal), { signal })
  terminal.result(agent, () => {
    const head = fields([
      ['id', agent.id],
      ['name', clean(agent.name)],
      ['status', terminal.paint(statusStyle(agent.status), agent.status)],
      ['kind', agent.kind],
      ['source', agent.catalog_key === null ? agent.source : `catalog: ${agent.catalog_key}`],
      ['version', String(agent.version)],
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

const stats = async (session: Session, given: string) => {
  const { terminal, signal } = session
  const client = session.client()
  const counted = await client.agents.stats(await findAgentId(client, given, signal), { signal })
  terminal.result(counted, () => {
    const states = fields(Object.entries(counted.runs).map(([state, count]) => [state, String(count)]))
    return counted.is_capped ? `${states}\n\nCounting stopped at 10,000 runs in all.` : states
  })
  return undefined
}
