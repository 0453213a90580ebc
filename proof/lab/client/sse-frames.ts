/** One frame of a stream, as it arrived. */
export type Frame = {
  id: number
  event: string
  data: FrameData
}

/** What every frame says, and what some say besides. */
export type FrameData = {
  type: string
  run_id: string
  step?: number
  delta?: string
  [more: string]: unknown
}

/** Takes text in pieces and gives out frames as soon as they are whole. Half a frame at the end is none. */
export type FrameReader = {
  push(text: string): Frame[]
  /** Comments seen so far: what keeps a silent stream open. */
  readonly comments: number
  /** What the server asked for with `retry:`, if it did. */
  readonly retryMs: number | undefined
}

export const frameReader = (): FrameReader => {
  let rest = ''
  let comments = 0
  let retryMs: number | undefined
  let id = Number.NaN
  let event = ''
  let data: string[] = []

  const take = (line: string): Frame | undefined => {
    if (line === '') {
      const frame = data.length > 0 ? { id, event, data: JSON.parse(data.join('\n')) as FrameData } : undefined
      event = ''
      data = []
      return frame
    }
    const colon = line.indexOf(':')
    if (colon === 0) {
      comments++
      return undefined
    }
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'id') id = Number(value)
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
    if (field === 'retry') retryMs = Number(value)
    return undefined
  }

  return {
    push: (text) => {
      const frames: Frame[] = []
      let from = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        const line = rest + text.slice(from, end)
        rest = ''
        from = end + 1
        const frame = take(line.endsWith('\r') ? line.slice(0, -1) : line)
        if (frame) frames.push(frame)
      }
      rest += text.slice(from)
      return frames
    },
    get comments() {
      return comments
    },
    get retryMs() {
      return retryMs
    },
  }
}
