export type ServerEvent = { readonly event: string; readonly data: string }

/**
 * Parses server-sent events from chunks of text, whatever the chunk borders. The caller bounds the buffered text.
 * Only new text is scanned, so that a line sent character by character costs no more than one sent at once.
 */
export const createEventReader = (): ((text: string) => ServerEvent[]) => {
  let unfinished: string[] = []
  let data: string[] = []
  let event = ''
  let endedInReturn = false

  const take = (line: string): ServerEvent[] => {
    if (line === '') {
      const whole = data.length > 0 ? [{ event: event || 'message', data: data.join('\n') }] : []
      data = []
      event = ''
      return whole
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    if (field === 'event') event = value
    return []
  }

  return (given) => {
    // A line may end in \r\n, and a chunk may end between the two.
    const text = endedInReturn && given.startsWith('\n') ? given.slice(1) : given
    if (given !== '') endedInReturn = given.endsWith('\r')
    const lines = text.split(/\r\n|\r|\n/)
    const last = lines.pop() ?? ''
    const found = lines.flatMap((line) => {
      const whole = unfinished.join('') + line
      unfinished = []
      return take(whole)
    })
    if (last !== '') unfinished.push(last)
    return found
  }
}
