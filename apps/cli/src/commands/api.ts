import { type Command, InvalidArgumentError } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { readInput } from '../given.ts'
import { acting, type Session, settingsOfCall } from '../session.ts'
import { escapeUnfit } from '../text.ts'

export const addApi = (program: Command): void => {
  withExamples(
    program
      .command('api')
      .description('send any request to the API and print the response body')
      .argument('<method>', 'GET, POST, PATCH or DELETE', readMethod)
      .argument('<path>', 'path below the base URL, with its query')
      .option('--data <json>', 'the body as JSON or YAML: inline, @file, or - for stdin')
      .option('--header <name:value>', 'an additional header; may be repeated', readHeader, {})
      .option('--include', 'print the status and the headers to stderr')
      .action(acting(send)),
    'ars api GET /agents?limit=2',
    `ars api POST /runs --data '{"agent_id":"ag_01kf3xw0fqe1vrr9m8sdv2wbx4","input":{"query":"Hi"}}'`,
  )
}

type Options = { data?: string; header: Record<string, string>; include?: boolean }

const send = async ({ settings, signal }: Session, method: string, path: string, options: Options) => {
  if (!path.startsWith('/')) throw new CommandError('The path must begin with /', { advice: 'For example /agents.' })
  const { baseUrl, apiKey } = settingsOfCall(settings)
  const body = options.data === undefined ? undefined : JSON.stringify(await readInput(options.data, '--data'))
  // Operations of people are beside the API, not below it.
  const url = path.startsWith('/api/') ? `${new URL(baseUrl).origin}${path}` : `${baseUrl}${path}`
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      // A cookie replaces the key: two credentials in one request are refused.
      ...(options.header.cookie === undefined && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.header,
    },
    redirect: 'error',
    signal,
    ...(body !== undefined && { body }),
  })
  if (options.include) {
    process.stderr.write(`HTTP ${response.status}\n`)
    for (const [name, value] of response.headers) process.stderr.write(`${name}: ${value}\n`)
  }
  const text = await response.text()
  process.stdout.write(`${escapeUnfit(pretty(text))}\n`)
  return response.ok ? exitCodes.ok : exitOf(response.status)
}

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const exitOf = (status: number) => {
  if (status === 401 || status === 403) return exitCodes.denied
  if (status === 404) return exitCodes.notFound
  return status === 429 || status === 503 ? exitCodes.unavailable : exitCodes.failed
}

const readMethod = (given: string): string => {
  const method = given.toUpperCase()
  if (['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'].includes(method)) return method
  throw new InvalidArgumentError('Must be GET, HEAD, POST, PATCH or DELETE.')
}

const readHeader = (given: string, before: Record<string, string>): Record<string, string> => {
  const at = given.indexOf(':')
  if (at < 1) throw new InvalidArgumentError('Must have the form name: value.')
  return { ...before, [given.slice(0, at).trim().toLowerCase()]: given.slice(at + 1).trim() }
}
