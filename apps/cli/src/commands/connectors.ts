import type { ConnectorTool, Page } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { acting, type Session } from '../session.ts'
import { fields } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { clean } from '../text.ts'
import { findConnectorId } from '../thing-ids.ts'

const example = 'con_01kf3xw0fqe1vrr9m8sdv2wbx4'

export const addConnectors = (program: Command): void => {
  const group = program.command('connectors').description('manage connectors to MCP servers, and approve their tools')
  const connectors = withExamples(group, 'ars connectors list')
  withExamples(
    connectors
      .command('tools <connector> [tool]')
      .description('list the tools of a connector, or show one with the differences from its approved form')
      .action(acting(tools)),
    `ars connectors tools ${example}`,
    `ars connectors tools ${example} send_email`,
  )
  withExamples(
    connectors
      .command('refresh <connector>')
      .description('list the tools of a connector again and show those that are off')
      .action(acting(refresh)),
    `ars connectors refresh ${example}`,
  )
  withExamples(
    connectors
      .command('approve <connector> [tool]')
      .description('approve a tool as it is listed now; it must still have the hash that you have seen')
      .option('--hash <hash>', 'the hash that `ars connectors tools` shows, or at least its first 12 digits')
      .option('--all', 'approve every tool that is listed and off')
      .action(acting(approve)),
    `ars connectors approve ${example} send_email --hash 1f0c5b8a93de`,
  )
}

const tools = async ({ terminal, client, signal }: Session, given: string, name: string | undefined) => {
  const id = await findConnectorId(client(), given, signal)
  const page = await client().connectors.listTools(id, { signal })
  if (name === undefined)
    tellTools(terminal, page, 'The connector has no tools. List them with: ars connectors refresh')
  else {
    const tool = find(page.data, name)
    terminal.result(tool, () => describeTool(terminal, tool))
  }
  return undefined
}

const refresh = async ({ terminal, client, signal }: Session, given: string) => {
  const id = await findConnectorId(client(), given, signal)
  const refreshed = await client().connectors.refresh(id, { signal })
  if (terminal.isJson) terminal.result(refreshed, () => '')
  else {
    terminal.list({
      value: refreshed,
      ...tableOf(refreshed.off),
      nothing: 'All tools are approved as they are listed.',
    })
    for (const { name, reason } of refreshed.refused) terminal.note(`Refused: ${clean(name)}: ${clean(reason)}`)
  }
  return undefined
}

type ApproveOptions = { hash?: string; all?: boolean }

const approve = async (
  { terminal, client, signal }: Session,
  given: string,
  name: string | undefined,
  { hash, all = false }: ApproveOptions,
) => {
  if (all === (name !== undefined)) throw new CommandError('Name one tool, or use --all.')
  const id = await findConnectorId(client(), given, signal)
  const { data } = await client().connectors.listTools(id, { signal })
  const chosen = name === undefined ? data.filter(({ state }) => state !== 'approved') : [seen(find(data, name), hash)]
  const listed = chosen.flatMap((tool) => (tool.hash === null ? [] : [{ name: tool.name, hash: tool.hash }]))
  if (all && listed.length === 0) terminal.note('Every listed tool is approved already.')
  for (const tool of listed) {
    const approved = await client().connectors.approveTool(id, tool.name, { hash: tool.hash }, { signal })
    terminal.each(approved, () => `${clean(approved.name)} is approved.`)
  }
  return undefined
}

/** The tool, if its hash is still the one that the person has seen. */
const seen = (tool: ConnectorTool, hash: string | undefined): ConnectorTool => {
  const show = `Look at it with: ars connectors tools ${tool.connector_id} ${clean(tool.name)}`
  if (hash === undefined)
    throw new CommandError('--hash is missing: it says which form of the tool you approve.', { advice: show })
  if (!/^[0-9a-f]{12,64}$/.test(hash)) throw new CommandError('--hash must be 12 to 64 hexadecimal digits.')
  if (tool.hash === null) throw new CommandError('The server does not list this tool, so it cannot be approved.')
  if (!tool.hash.startsWith(hash))
    throw new CommandError('The tool has another hash now.', { code: 'tool_changed', advice: show })
  return tool
}

const find = (data: readonly ConnectorTool[], name: string): ConnectorTool => {
  const tool = data.find((each) => each.name === name)
  if (!tool) throw new CommandError(`The connector has no tool ${clean(name)}.`, { code: 'not_found', exitCode: 4 })
  return tool
}

const tellTools = (terminal: Terminal, { data }: Page<ConnectorTool>, nothing: string): void => {
  const value = { object: 'list', data, has_more: false, first_id: null, last_id: null }
  terminal.list({ value, ...tableOf(data), nothing })
}

const tableOf = (data: readonly ConnectorTool[]) => ({
  heads: ['TOOL', 'STATE', 'HASH', 'CHANGES'],
  rows: data.map(({ name, state, hash, changes, looks_like }) => [
    name,
    state,
    hash?.slice(0, 12) ?? '',
    [...changes, ...(looks_like === null ? [] : [`looks like ${looks_like}`])].join(', '),
  ]),
})

const describeTool = (terminal: Terminal, tool: ConnectorTool): string => {
  const head = fields([
    ['tool', clean(tool.name)],
    ['state', tool.state],
    ['hash', tool.hash],
    ['changes', tool.changes.length > 0 ? tool.changes.join(', ') : null],
    ['looks like', tool.looks_like === null ? null : clean(tool.looks_like)],
    ['approved by', tool.approved_by],
  ])
  const parts = [
    ['Approved', tool.approved_manifest],
    ['Listed now', tool.manifest],
  ] as const
  const texts = parts
    .filter(([, manifest]) => manifest !== null)
    .map(([title, manifest]) => `${terminal.paint('strong', title)}\n${clean(JSON.stringify(manifest, null, 2))}`)
  return [head, ...texts].join('\n\n')
}
