import { ApiError, type RequestOptions } from '@agent-run-service/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { exitCodeOf } from '../failure.ts'
import { readObject } from '../input.ts'
import { acting, openClient, type Session } from '../session.ts'
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

const send = async (
  { settings, signal }: Session,
  method: RequestOptions['method'],
  path: string,
  { data, header, include }: Options,
) => {
  if (!path.startsWith('/')) throw new CommandError('The path must begin with /', { advice: 'For example /agents.' })
  const { 'idempotency-key': idempotencyKey, ...headers } = header
  const body = data === undefined ? undefined : await readObject(data, '--data')
  // A cookie replaces the key: two credentials in one request are refused.
  const client = openClient(settings, header.cookie === undefined ? {} : { auth: 'cookie' })
  try {
    const request = { method, path, body, headers, idempotencyKey, signal }
    const { data: answer, response } = await client.request(request).withResponse()
    print(answer, response, include)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    print(error.body, error, include)
    return exitCodeOf(error.status)
  }
}

const print = (body: unknown, { status, headers }: Pick<Response, 'status' | 'headers'>, include = false): void => {
  if (include) {
    process.stderr.write(`HTTP ${status}\n`)
    for (const [name, value] of headers) process.stderr.write(`${name}: ${value}\n`)
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  if (body !== null) process.stdout.write(`${escapeUnfit(text)}\n`)
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const readMethod = (given: string): RequestOptions['method'] => {
  const method = methods.find((each) => each === given.toUpperCase())
  if (method !== undefined) return method
  throw new InvalidArgumentError(`Must be one of ${methods.join(', ')}.`)
}

const readHeader = (given: string, before: Record<string, string>): Record<string, string> => {
  const at = given.indexOf(':')
  if (at < 1) throw new InvalidArgumentError('Must have the form name: value.')
  return { ...before, [given.slice(0, at).trim().toLowerCase()]: given.slice(at + 1).trim() }
}
