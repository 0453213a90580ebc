import { Fault } from '@ars/core/fault'

/** Whoever accepts no event stream would not know what to do with one. */
export const requireEventStream = (accept: string | undefined): void =>
  requireAccepted(accept, ['text/event-stream', 'text/*', '*/*'])

export const requireJson = (accept: string | undefined): void => {
  if (accept === '*/*' || accept === 'application/json') return
  requireAccepted(accept, ['application/json', 'application/*', '*/*'])
}

/** The most specific range decides. */
const requireAccepted = (accept: string | undefined, ranges: readonly [string, string, string]): void => {
  if (accept === undefined || accept.trim() === '') return
  const accepted = new Map(accept.split(',').map(parseRange))
  const quality = ranges.map((range) => accepted.get(range)).find((q) => q !== undefined)
  if (quality === undefined || quality <= 0) {
    throw new Fault('not_acceptable', `This operation answers ${ranges[0]}, which Accept leaves out`)
  }
}

const parseRange = (range: string): [string, number] => {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
}
