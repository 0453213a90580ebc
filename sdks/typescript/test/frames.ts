import type { ServerResponse } from 'node:http'
import type { Stream } from '../src/index.ts'
import type { Seen } from './service.ts'

const frame = (id: number, type: string, more: object = {}): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, run_id: 'run_1', ...more })}\n\n`

export const frames = [
  frame(1, 'run.created'),
  frame(2, 'run.output.delta', { delta: 'Ünï 🚀' }),
  frame(3, 'run.output.delta', { delta: 'two' }),
  frame(4, 'run.completed', { run: { id: 'run_1', status: 'completed' } }),
]
export const begin = 'retry: 1200\n\n'

export const open = (response: ServerResponse, text = ''): ServerResponse => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-run-id': 'run_1' }).write(begin + text)
  return response
}
/** The frames after the one that the request names. */
export const after = ({ headers }: Seen): string => frames.slice(Number(headers['last-event-id'] ?? 0)).join('')

export const typesOf = async (stream: Stream<{ type: string }>): Promise<string[]> => {
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  return types
}
export const allTypes = ['run.created', 'run.output.delta', 'run.output.delta', 'run.completed']
