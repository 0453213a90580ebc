import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { interruption } from './interruption.ts'

/** Asks on a terminal. Without a terminal the default applies. */
export const ask = async (question: string, usual: string): Promise<string> => {
  if (!process.stdin.isTTY) return usual
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  reader.once('SIGINT', () => interruption.abort())
  try {
    return (await reader.question(`${question} [${usual}]: `, { signal: interruption.signal })).trim()
  } finally {
    reader.close()
  }
}

/** Asks without echo. Without a terminal the first line of stdin is the answer. */
export const askHidden = async (question: string): Promise<string> => {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return ((await text(stdin)).split('\n')[0] ?? '').trim()
  stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  try {
    return (await readTyped()).trim()
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

/** Reads a line with the editing keys of a terminal. */
const readTyped = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin } = process
    let typed = ''
    const take = (chunk: string | Buffer): void => {
      for (const character of String(chunk)) {
        if (character === interrupt) {
          stdin.off('data', take)
          interruption.abort()
          reject(interruption.signal.reason)
          return
        }
        if (lineEnds.has(character)) {
          stdin.off('data', take)
          resolve(typed)
          return
        }
        typed = erasers.has(character) ? typed.slice(0, -1) : typed + character
      }
    }
    stdin.on('data', take)
    stdin.resume()
  })

const interrupt = '\u0003'
const lineEnds: ReadonlySet<string> = new Set(['\r', '\n', '\u0004'])
const erasers: ReadonlySet<string> = new Set(['\u007f', '\b'])
