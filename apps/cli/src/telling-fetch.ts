import type { Terminal } from './terminal.ts'

/** Tells once when the service is away and once when it is back; the client itself goes on trying without a word. */
export const tellingFetch = (terminal: Terminal, signal: AbortSignal) => {
  let isAway = false
  const away = (): void => {
    if (!isAway && !signal.aborted) terminal.note('The service does not answer. Trying again until it does …')
    isAway = true
  }
  return async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetch(url, init)
      if (response.status >= 500) away()
      else if (isAway) {
        isAway = false
        terminal.note('The service is back.')
      }
      return response
    } catch (error) {
      away()
      throw error
    }
  }
}
