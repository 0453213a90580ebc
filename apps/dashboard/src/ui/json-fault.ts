/** Says that a text is not JSON, and names the line of the error. Browsers report the place in different ways. */
export const jsonFault = (text: string): string => {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    const line = lineOf(text, error instanceof Error ? error.message : '')
    return line === undefined ? 'This is not valid JSON.' : `This is not valid JSON: look at line ${line}.`
  }
}

const lineOf = (text: string, message: string): number | undefined => {
  const line = /line (\d+)/.exec(message)?.[1]
  if (line !== undefined) return Number(line)
  const position = /position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return text.slice(0, Number(position)).split('\n').length
  return /end of/i.test(message) ? text.split('\n').length : undefined
}
