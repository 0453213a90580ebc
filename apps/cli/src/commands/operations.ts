import type { AgentRunService, Page } from '@agent-run-service/sdk'
import { type Command, Option } from 'commander'
import { agentNames, findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { flagNames, readFields } from '../given.ts'
import { readObject, refuseInline } from '../input.ts'
import { tellPage, withPaging } from '../list.ts'
import { cellOf, listViews } from '../list-views.ts'
import { commandOf, type Input, kebab, type Operation, operations } from '../operation.ts'
import { findPipelineId } from '../pipeline-name.ts'
import { askHidden } from '../prompt.ts'
import { columnsOf, describeRecord } from '../record-view.ts'
import { recordViews } from '../record-views.ts'
import { findScheduleId } from '../schedule-name.ts'
import { acting, type Session } from '../session.ts'
import { findConnectorId, findPolicyId } from '../thing-ids.ts'
import { repeatedly, withWatching } from '../watching.ts'

/** Adds a command for every operation of the API that has none yet. */
export const addOperations = (program: Command): void => {
  for (const operation of operations) {
    const [group = '', name] = commandOf(operation).split(' ')
    if (name === undefined) continue
    const parent = program.commands.find((each) => each.name() === group) ?? newGroup(program, group)
    if (parent.commands.some((each) => each.name() === name)) continue
    addOperation(parent, name, operation)
  }
}

const groups: Readonly<Record<string, string>> = {
  'alert-destinations': 'manage the addresses that alerts are sent to',
  'alert-rules': 'manage the rules that fire alerts',
  alerts: 'list and show alerts',
  catalog: 'list and show agents that can be hired',
  members: 'invite, list, change and remove members of the organisation',
  models: 'list models',
  organisation: 'show and change the organisation',
  tokens: 'create tokens for browsers',
  'policy-templates': 'show templates of policies',
  'provider-keys': 'enter, list and delete keys of model providers',
}

const newGroup = (program: Command, group: string): Command =>
  withExamples(program.command(group).description(groups[group] ?? group), `ars ${group} --help`)

const addOperation = (parent: Command, name: string, operation: Operation): void => {
  const { ids, query, body, answers, method, summary } = operation
  const args = ids.map((id) => argumentOf(operation, id))
  const command = parent.command([name, ...args.map((arg) => `<${arg}>`)].join(' ')).description(startLow(summary))
  const inputs = (body ?? query).filter((input) => !(answers === 'page' && pagingNames.includes(input.name)))
  for (const input of inputs) command.addOption(optionOf(input))
  if (body) command.option('--data <json>', 'the whole body as JSON or YAML: inline, @file, or - for stdin')
  if (answers === 'page') withPaging(command)
  if (method === 'GET') withWatching(command)
  const path = `${parent.name()} ${name}`
  withExamples(
    command,
    [exampleOf(path, args, inputs), listViews[operation.id]?.example].filter(Boolean).join(' '),
  ).action(
    acting((session: Session, ...given: unknown[]) => {
      const options = given.at(-1) as Given
      return call(session, operation, { ids: given.slice(0, -1) as string[], options, inputs })
    }),
  )
}

const pagingNames = ['limit', 'after', 'before']

type Given = Record<string, unknown> & { data?: string; all?: boolean; limit?: number; after?: string; watch?: boolean }

type Method = (...given: unknown[]) => Promise<unknown>

const call = async (
  session: Session,
  operation: Operation,
  { ids, options, inputs }: { ids: string[]; options: Given; inputs: readonly Input[] },
) => {
  const { terminal, signal } = session
  const client = session.client()
  const method = methodOf(client, operation)
  const path = await Promise.all(
    ids.map((id, at) => finderOf(operation, at)?.(client, id, signal) ?? Promise.resolve(id)),
  )
  const given = {
    ...listViews[operation.id]?.asks,
    ...(options.data === undefined ? {} : await readBody(options.data, inputs)),
    ...(await readFields(inputs, options)),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
    ...(options.after === undefined ? {} : { after: options.after }),
  }
  const asked = await askSecrets(inputs, given)
  requireFields(inputs, asked)
  const params = await withIds(client, asked, signal)
  const takesParams = operation.body !== null || operation.query.length > 0
  const ask = () => method(...path, ...(takesParams ? [params] : []), { signal })
  await repeatedly(session, options, async () => {
    const answer = await ask()
    if (operation.answers === 'page') {
      const page = answer as Page<Record<string, unknown>>
      await tellPage(terminal, page, { ...(await viewOf(session, operation, page)), all: options.all })
      return
    }
    const { text, after } = recordViews[operation.id] ?? { text: describeRecord }
    terminal.result(answer, () => text(answer, terminal))
    if (!terminal.isJson) after?.(answer, terminal)
  })
  return undefined
}

const viewOf = async (
  { terminal, client, signal }: Session,
  { id }: Operation,
  page: Page<Record<string, unknown>>,
) => {
  const view = listViews[id]
  if (!view) return { columns: columnsOf(page.data), nothing: 'Nothing found.' }
  const named = view.agentColumn === undefined || terminal.isJson ? [] : page.data.flatMap(agentOf)
  const names = await agentNames(client(), named, signal)
  const columns = Object.entries(view.columns).map(
    ([head, column]) =>
      [
        head,
        (item: Record<string, unknown>) => {
          const cell = cellOf(item, column)
          return head === view.agentColumn ? (names.get(cell) ?? cell) : cell
        },
      ] as const,
  )
  return { columns: Object.fromEntries(columns), nothing: view.nothing }
}

const readBody = async (given: string, inputs: readonly Input[]): Promise<Record<string, unknown>> => {
  const body = await readObject(given, '--data')
  const secret = inputs.find(({ name, isSecret }) => isSecret && body[name] !== undefined)
  if (secret && given !== '-' && !given.startsWith('@')) refuseInline('--data', ` with the field ${secret.name}`)
  return body
}

/** A secret that is required and was not given is asked for, without echo, or read from stdin. */
const askSecrets = async (inputs: readonly Input[], given: Given): Promise<Given> => {
  const missing = inputs.find(({ name, isSecret, isRequired }) => isSecret && isRequired && given[name] === undefined)
  // What lacks besides is said first: nobody types a key for a command that fails.
  if (!missing || inputs.some((each) => each !== missing && each.isRequired && given[each.name] === undefined))
    return given
  const secret = await askHidden(`${missing.docs} (hidden): `)
  return secret === '' ? given : { ...given, [missing.name]: secret }
}

const agentOf = ({ agent_id }: Record<string, unknown>): { agent_id: string }[] =>
  typeof agent_id === 'string' ? [{ agent_id }] : []

/** Refuses a missing field in the words of the command line, before anything is sent. */
const requireFields = (inputs: readonly Input[], params: Readonly<Record<string, unknown>>): void => {
  const missing = inputs.filter(({ isRequired, name }) => isRequired && params[name] === undefined)
  if (missing.length === 0) return
  const flags = missing.map((input) => `--${flagOf(input.name)}`)
  throw new CommandError(`${flags.join(', ')} ${flags.length === 1 ? 'is' : 'are'} required`, {
    advice: 'Use --help for usage.',
    exitCode: exitCodes.usage,
  })
}

/** Fields that hold the id of a thing, which can be given by its name. */
const idFields: Readonly<Record<string, Finder>> = {
  agent_id: findAgentId,
  connector_id: findConnectorId,
  pipeline_id: findPipelineId,
  policy_id: findPolicyId,
}

const withIds = async (
  client: AgentRunService,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  const found = Object.entries(params).map(async ([name, value]) => {
    const find = idFields[name]
    return [name, find && typeof value === 'string' ? await find(client, value, signal) : value] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

const methodOf = (client: AgentRunService, { resource, name }: Operation): Method => {
  const methods = client[resource as keyof AgentRunService] as unknown as Record<string, Method>
  return (...given) => (methods[name] as Method)(...given)
}

type Finder = (client: AgentRunService, given: string, signal: AbortSignal) => Promise<string>

const finders: Readonly<Record<string, Finder>> = {
  '/agents/{id}': findAgentId,
  '/connectors/{id}': findConnectorId,
  '/pipelines/{id}': findPipelineId,
  '/policies/{id}': findPolicyId,
  '/schedules/{id}': findScheduleId,
}

/** These things may be given by their name, except to unarchive one: only active ones have a unique name. */
const finderOf = ({ path, name }: Operation, at: number): Finder | undefined =>
  at === 0 && name !== 'unarchive' ? finders[path.split('/').slice(0, 3).join('/')] : undefined

const nouns: Readonly<Record<string, string>> = {
  '/runs': 'run',
  '/agents': 'agent',
  '/deployments': 'release',
  '/connectors': 'connector',
  '/webhooks': 'webhook',
  '/events': 'event',
  '/api-keys': 'key',
  '/members': 'member',
  '/alert-rules': 'rule',
  '/alerts': 'alert',
  '/policies': 'policy',
  '/pipelines': 'pipeline',
  '/pipeline-runs': 'pipeline-run',
  '/schedules': 'schedule',
  '/batches': 'batch',
}

const argumentOf = ({ path }: Operation, id: string): string => {
  if (id !== 'id') return kebab(id.replace(/_id$/, ''))
  return path.includes('/invitations/') ? 'invitation' : (nouns[`/${path.split('/')[1]}`] ?? id)
}

const optionOf = (input: Input): Option => {
  const { name, kind, docs, values, isRequired, isSecret } = input
  const flag = `--${flagOf(name)}`
  const isListed = values !== undefined && kind === 'words' && listed.test(docs)
  const option = new Option(
    `${flag} <${isSecret ? '@file|-' : placeholders[kind]}>`,
    `${isRequired ? 'required: ' : ''}${startLow(isListed ? docs.replace(listed, 'One or more') : docs)}${noteOf(name)}`,
  )
  if (values && kind === 'text') option.choices([...values])
  // For help and completion only, because a list can have several of them.
  if (isListed) option.argChoices = [...values]
  return option
}

/** A description that lists the values, which are the choices of the option. */
const listed = /^One or more of [\w, ]+(?=, separated)/

/** What the command line also takes. */
const noteOf = (name: string): string => {
  if (idFields[name] !== undefined) return ', or its name'
  return name === 'created_after' || name === 'created_before' ? ': 2h, 7d or a date and time' : ''
}

const flagOf = (name: string): string =>
  flagNames[name] ?? (reserved.includes(name) ? `set-${kebab(name)}` : kebab(name))

/** Names of options that every command has. */
const reserved: readonly string[] = ['version', 'json', 'output', 'profile', 'data', 'watch', 'all']

const placeholders = {
  text: 'text',
  number: 'n',
  words: 'a,b',
  pairs: 'key=value,…',
  json: 'json',
  boolean: 'true|false',
} as const

const exampleOf = (path: string, args: readonly string[], inputs: readonly Input[]): string => {
  const needed = inputs.filter(({ isRequired, isSecret }) => isRequired && !isSecret)
  const words = needed.map((input) => `--${flagOf(input.name)} ${exampleValues[input.kind](input)}`)
  return ['ars', path, ...args.map((arg) => `<${arg}>`), ...words].join(' ')
}

const exampleValues: Readonly<Record<Input['kind'], (input: Input) => string>> = {
  text: ({ values, name }) => values?.[0] ?? `<${kebab(name)}>`,
  number: () => '1',
  boolean: () => 'true',
  words: ({ values }) => values?.[0] ?? 'a,b',
  pairs: () => 'team=support',
  json: ({ name }) => `@${kebab(name)}.json`,
}

const startLow = (text: string): string =>
  /^[A-Z][a-z ]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text
