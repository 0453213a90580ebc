import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Call, Case, Json } from '../src/types.ts'

// node sdks/conformance/runners/typescript.ts [--module <file of the SDK>]
// Runs all cases of the server at ARS_CONFORMANCE_URL with the TypeScript SDK. `--module` names a packed or changed copy.

/** The SDK, whose copy is chosen when the program starts. Methods are found by name, so it has no static type here. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
type Sdk = any

const atOnce = 8

/** Runs every case and reports every outcome to the server. */
export const runCases = async (sdk: Sdk, { url, runner }: { url: string; runner: string }): Promise<void> => {
  const { cases } = (await ask(url, 'GET', '/cases')) as { cases: Case[] }
  const waiting = [...cases]
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) await runCase(sdk, { url, runner }, one)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const runCase = async (sdk: Sdk, { url, runner }: { url: string; runner: string }, one: Case): Promise<void> => {
  const session = (await ask(url, 'POST', '/sessions', { case: one.name, runner })) as Record<string, string>
  const client = new sdk.AgentRunService({
    apiKey: session.api_key,
    baseUrl: session.base_url,
    ...camelCased(one.client ?? {}),
  })
  const at = `${url}/sessions/${session.session}`
  const outcomes: Json[] = []
  for (const call of one.calls) outcomes.push(await outcomeOf(sdk, client, call, at))
  await ask(at, 'POST', '/outcome', { outcomes })
}

const outcomeOf = async (sdk: Sdk, client: Sdk, call: Call, at: string): Promise<Json> => {
  const seen: Record<string, unknown> = {}
  const controller = new AbortController()
  if (call.cancel_after_requests !== undefined) {
    void ask(at, 'GET', `/wait?requests=${call.cancel_after_requests}`).then(() => controller.abort())
  }
  try {
    await perform(sdk, client, call, controller.signal, seen)
  } catch (error) {
    seen.error = errorOf(sdk, error, controller.signal)
  }
  return seen as Json
}

/** Fills `seen` as far as the call gets. */
const perform = async (sdk: Sdk, client: Sdk, call: Call, signal: AbortSignal, seen: Record<string, unknown>) => {
  if (call.do === 'unwrap') {
    const { secrets, now, headers, body } = call.delivery ?? { secrets: [], now: 0, headers: {}, body: '' }
    seen.result = await sdk.verifyWebhook({ body, headers, secret: secrets, now: new Date(now * 1_000) })
    return
  }
  const begun = methodOf(client, call.operation ?? '')(...argumentsOf(call, signal))
  if (call.do === 'call') seen.result = await begun
  else if (call.do === 'output_text') seen.text = (await begun).output_text
  else if (call.do === 'text') seen.text = await begun.text()
  else if (call.do === 'final_run') seen.result = await begun.finalRun()
  else {
    const items: unknown[] = []
    seen[call.do === 'list' ? 'items' : 'frames'] = items
    if (call.take !== 0) {
      for await (const item of begun) {
        items.push(item)
        if (items.length === call.take) break
      }
    }
    if (call.do === 'stream') seen.last_event_id = begun.lastEventId ?? null
  }
}

const methodOf = (client: Sdk, operation: string): ((...given: unknown[]) => Sdk) => {
  const [resource = '', name = ''] = operation.split('.')
  return client[resource][name]
}

const argumentsOf = (
  { path = [], query, body, options = {}, operation = '' }: Call,
  signal: AbortSignal,
): unknown[] => {
  const takesParams = query !== undefined || body !== undefined || /\.(list|watch)$/.test(operation)
  return [...path, ...(takesParams ? [body ?? query ?? {}] : []), { ...camelCased(options), signal }]
}

const camelCased = (options: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )

const errorOf = (sdk: Sdk, error: Sdk, signal: AbortSignal): Record<string, unknown> => {
  const { status, code, type, param, details, message, reason } = error
  return {
    kind: signal.aborted ? 'cancelled' : kindOf(sdk, error),
    ...{ status, code, type, param, details, message, reason },
    request_id: error.requestId,
    doc_url: error.docUrl,
    retry_after_ms: error.retryAfterMs,
  }
}

/** The most special class comes first. */
const kindOf = (sdk: Sdk, error: unknown): string => {
  const kinds = {
    webhook: sdk.WebhookVerificationError,
    authentication: sdk.AuthenticationError,
    permission: sdk.PermissionError,
    not_found: sdk.NotFoundError,
    rate_limit: sdk.RateLimitError,
    invalid_request: sdk.InvalidRequestError,
    api: sdk.ApiError,
    timeout: sdk.TimeoutError,
    connection: sdk.ConnectionError,
    argument: TypeError,
  }
  return Object.entries(kinds).find(([, Class]) => error instanceof Class)?.[0] ?? String(error)
}

const ask = async (base: string, method: string, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(base + path, { method, ...(body && { body: JSON.stringify(body) }) })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { module: { type: 'string' }, runner: { type: 'string' } } })
  const sdk = await (values.module ? import(pathToFileURL(values.module).href) : import('@agent-run-service/sdk'))
  await runCases(sdk, { url: process.env.ARS_CONFORMANCE_URL ?? '', runner: values.runner ?? 'typescript' })
  process.exit()
}
