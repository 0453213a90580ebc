import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Ledger } from './mcp-ledger.ts'

/**
 * `echo` returns its arguments; `send_email` must not be repeated; `lookup` only reads; `upsert` may be repeated;
 * `slow` waits `ms` before it responds, unless the caller disconnects; `fail` returns an error; `headers` returns the
 * request headers.
 */
export const toolNames = ['echo', 'send_email', 'lookup', 'upsert', 'slow', 'fail', 'headers'] as const

export type ToolName = (typeof toolNames)[number]

/** Each call is recorded in the ledger before anything else happens. */
export const addTools = (
  server: McpServer,
  { tools, ledger }: { tools: readonly ToolName[]; ledger: Ledger },
): void => {
  for (const name of tools) {
    const { description, input, annotations, act } = catalog[name]
    server.registerTool(name, { description, inputSchema: input, annotations }, async (args, ctx) => {
      const key = ctx.mcpReq._meta?.idempotency_key
      const headers = ctx.http?.req?.headers ?? new Headers()
      ledger.write({
        tool: name,
        arguments: args,
        key: typeof key === 'string' ? key : null,
        header_key: headers.get('idempotency-key'),
        at_ms: Date.now(),
      })
      return act(args, { ctx, headers })
    })
  }
}

/** A tool of a test, which it may change at any time. `wait` delays the answer. */
export type TestTool = {
  description?: string
  /** Required arguments, all of them strings. */
  properties?: readonly string[]
  annotations?: CatalogTool['annotations']
  wait?: () => Promise<void>
}

export const addTestTools = (server: McpServer, tools: Readonly<Record<string, TestTool>>, ledger: Ledger): void => {
  for (const [name, { description, properties = [], annotations = {}, wait }] of Object.entries(tools)) {
    const inputSchema = z.looseObject(Object.fromEntries(properties.map((property) => [property, z.string()])))
    const definition = { ...(description === undefined ? {} : { description }), inputSchema, annotations }
    server.registerTool(name, definition, async (args) => {
      ledger.write({ tool: name, arguments: args, key: null, header_key: null, at_ms: Date.now() })
      await wait?.()
      return text(`${name} was called`)
    })
  }
}

type CatalogTool = {
  description: string
  input: z.ZodObject
  annotations: { readOnlyHint?: boolean; idempotentHint?: boolean; destructiveHint?: boolean }
  act(args: Record<string, unknown>, call: { ctx: ServerContext; headers: Headers }): Promise<Result> | Result
}

type Result = {
  content: { type: 'text'; text: string }[]
  isError?: boolean
  structuredContent?: Record<string, unknown>
  [key: string]: unknown
}

const text = (words: string): Result => ({ content: [{ type: 'text', text: words }] })

const catalog: Record<ToolName, CatalogTool> = {
  echo: {
    description: 'Answers with its arguments.',
    input: z.looseObject({ text: z.string().optional() }),
    annotations: { readOnlyHint: true },
    act: (args) => text(typeof args.text === 'string' ? args.text : JSON.stringify(args)),
  },
  send_email: {
    description: 'Sends an e-mail. Twice means two e-mails.',
    input: z.object({ to: z.string(), subject: z.string().optional() }),
    annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
    act: ({ to }) => ({ ...text(`sent to ${String(to)}`), structuredContent: { sent: true, to } }),
  },
  lookup: {
    description: 'Looks a name up.',
    input: z.object({ name: z.string() }),
    annotations: { readOnlyHint: true },
    act: ({ name }) => ({ ...text(`found ${String(name)}`), structuredContent: { name, found: true } }),
  },
  upsert: {
    description: 'Stores a value under a key. The same again changes nothing.',
    input: z.object({ key: z.string(), value: z.unknown() }),
    annotations: { idempotentHint: true },
    act: ({ key }) => text(`stored ${String(key)}`),
  },
  slow: {
    description: 'Waits `ms` before it answers.',
    input: z.object({ ms: z.number().optional() }),
    annotations: {},
    act: async ({ ms }, { ctx }) => {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, typeof ms === 'number' ? ms : 60_000)
        ctx.mcpReq.signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(ctx.mcpReq.signal.reason)
        })
      })
      return text('at last')
    },
  },
  fail: {
    description: 'Answers that it has failed.',
    input: z.object({ reason: z.string().optional() }),
    annotations: {},
    act: ({ reason }) => ({ ...text(typeof reason === 'string' ? reason : 'it failed'), isError: true }),
  },
  headers: {
    description: 'Tells which headers it was sent.',
    input: z.object({}),
    annotations: { readOnlyHint: true },
    act: (_, { headers }) => text(JSON.stringify(Object.fromEntries(headers))),
  },
}
