import type { Terminal } from './terminal.ts'

/** Prints one note when the service becomes unavailable and one when it is back. The client retries silently. */
export const tellingFetch = (terminal: Terminal, signal: AbortSignal) => {
  let isAway = false
  const away = (): void => {
    if (!isAway && !signal.aborted) terminal.note('The service does not respond. Retrying …')
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
