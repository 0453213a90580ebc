import { contract, type Operation } from '@ars/contract'
import type { App, CallOptions, Reply } from '../app.ts'

/** One call as the document shows it. Ids, times and secrets are replaced by fixed ones. */
export type Example = { request: Record<string, unknown>; status: number; response: unknown }

export type Recorder = {
  /** Calls an operation with its flat input, and keeps the first successful call as its example. */
  play(id: string, input?: Record<string, unknown>, options?: CallOptions): Promise<Reply>
  /** Keeps a call that was made in another way. */
  keep(id: string, input: Record<string, unknown>, reply: Pick<Reply, 'status' | 'text'>): void
  readonly examples: ReadonlyMap<string, Example>
}

export const createRecorder = (app: App): Recorder => {
  const examples = new Map<string, Example>()
  const keep: Recorder['keep'] = (id, input, { status, text }) => {
    if (examples.has(id)) return
    const { streams, lines } = operationOf(id)
    const response = () => (streams ? firstFrames(text) : JSON.parse(text))
    examples.set(id, {
      request: fixed(input) as Example['request'],
      status,
      response: fixed(lines ? text : response()),
    })
  }
  return {
    examples,
    keep,
    play: async (id, input = {}, options = {}) => {
      const { method, path } = operationOf(id)
      const rest = { ...input }
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(rest[name])
        Reflect.deleteProperty(rest, name)
        return encodeURIComponent(value)
      })
      const hasBody = method === 'POST' || method === 'PATCH'
      const query = hasBody ? '' : `?${new URLSearchParams(rest as Record<string, string>)}`
      const body = hasBody && Object.keys(rest).length > 0 ? { body: rest } : {}
      const reply = await app.call(method, `/v2${filled}${query}`, { ...body, ...options })
      if (reply.status >= 300) throw new Error(`${id} was refused: ${reply.text}`)
      keep(id, input, reply)
      return reply
    },
  }
}

export const operationOf = (id: string): Operation => {
  const [resource = '', name = ''] = id.split('.')
  const found = (contract as unknown as Record<string, Record<string, Operation>>)[resource]?.[name]
  if (!found) throw new Error(`The contract has no operation ${id}`)
  return found
}

const shownFrames = 4
const firstFrames = (text: string): string => {
  const frames = text.split('\n\n').filter((frame) => frame.includes('data: '))
  return `${frames.slice(0, shownFrames).join('\n\n')}\n\n`
}

/** The same value with fixed ids, times, durations, addresses and secrets, and with one item of each list. */
const fixed = (value: unknown, key = ''): unknown => {
  if (Array.isArray(value)) return (key === 'data' ? value.slice(0, 1) : value).map((item) => fixed(item))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fixed(part, name)]))
  if (typeof value === 'number') return key.endsWith('_ms') ? 120 : value
  if (typeof value !== 'string') return value
  if (key === 'hint' || key === 'secret_hint') return 'x7Qd'
  if (key === 'canonical' || key === 'user_agent') return '…'
  return fixedText(value)
}

const fixedText = (text: string): string =>
  text
    .replaceAll(/\b([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, '$1_01kf3xw0fqe1vrr9m8sdv2wbx4')
    .replaceAll(/\breq_[0-9a-z]+/g, 'req_01kf3xw0fqe1vrr9m8sdv2wbx4')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-15T09:30:00.000Z')
    .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, 'https://example.com')
    .replaceAll(/https:\/\/localhost:\d+/g, 'https://localhost:8443')
    .replaceAll(/\bars_(live|demo|st|share|ses)_[A-Za-z0-9_-]{12,}/g, 'ars_$1_…')
    .replaceAll(/\bwhsec_[A-Za-z0-9+/=]{16,}/g, 'whsec_…')
    // The token of a link.
    .replaceAll(/^[A-Za-z0-9_-]{43}$/g, 'LqykrdTj0jrKh_TTsRclkbT4QwDEZWmOfjGkQAc0RLY')
    .replaceAll(/#token=[^"\s]+/g, '#token=…')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '0'.repeat(64))
