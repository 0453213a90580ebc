import { formats } from './terminal.ts'

/** Whether JSON was asked for, in any place, also where the words cannot be parsed. */
export const wantsJson = (words: readonly string[]): boolean =>
  words.some((word, at) => {
    if (word === '--json') return true
    const [, joined] = /^--output=(.*)$/.exec(word) ?? []
    const format = word === '--output' ? words[at + 1] : joined
    return format !== undefined && format !== 'table' && formats.some((each) => each === format)
  })
