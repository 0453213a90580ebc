/** An event of a stream: a frame, or a new reconnect delay. */
export type SseEvent = { type: 'frame'; id: string; event: string; data: string } | { type: 'retry'; ms: number }

export type SseParser = {
  /** Returns the complete events, however the bytes are split. */
  push(chunk: Uint8Array): SseEvent[]
  /** The id for `Last-Event-ID`. An id without data also sets it. */
  readonly lastEventId: string | undefined
}

// The last frame of a run contains its input and output, at most 11 MiB, and JSON may triple that.
const maxPendingChars = 64 * 1024 * 1024

/** A parser of server-sent events (HTML standard). An incomplete frame at the end of the stream is dropped. */
export const createSseParser = (lastEventId?: string): SseParser => {
  const decoder = new TextDecoder()
  let unfinished: string[] = []
  let skipsLineFeed = false
  let last = lastEventId
  let id = lastEventId
  let event = ''
  let data: string[] = []
  /** An upper bound of the buffered characters. */
  let pending = 0

  const takeLine = (line: string): SseEvent | undefined => {
    if (line === '') return dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return undefined
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      data.push(value)
      pending += value.length
    } else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) return { type: 'retry', ms: Number(value) }
    return undefined
  }

  const dispatch = (): SseEvent | undefined => {
    last = id
    const frame: SseEvent = { type: 'frame', id: id ?? '', event, data: data.join('\n') }
    const isEmpty = data.length === 0
    event = ''
    data = []
    pending = 0
    return isEmpty ? undefined : frame
  }

  return {
    push: (chunk) => {
      const found: SseEvent[] = []
      const text = decoder.decode(chunk, { stream: true })
      let begin = 0
      while (begin < text.length) {
        // The second half of a split line break.
        if (skipsLineFeed) {
          skipsLineFeed = false
          if (text[begin] === '\n') begin++
          continue
        }
        const end = nextLineBreak(text, begin)
        if (end === -1) break
        const said = takeLine(unfinished.join('') + text.slice(begin, end))
        unfinished = []
        if (said) found.push(said)
        skipsLineFeed = text[end] === '\r'
        begin = end + 1
      }
      if (begin < text.length) {
        // Stored in chunks, so that a large frame is not rescanned with each chunk.
        unfinished.push(text.slice(begin))
        pending += text.length - begin
      }
      if (pending > maxPendingChars) throw new RangeError('A frame of the stream exceeds the maximum size.')
      return found
    },
    get lastEventId() {
      return last
    },
  }
}

const nextLineBreak = (text: string, from: number): number => {
  const lineFeed = text.indexOf('\n', from)
  const carriageReturn = text.indexOf('\r', from)
  if (lineFeed === -1 || carriageReturn === -1) return Math.max(lineFeed, carriageReturn)
  return Math.min(lineFeed, carriageReturn)
}
