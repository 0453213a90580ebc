import { readFileSync } from 'node:fs'
import { releaseFile } from '@ars/platform/release-files'

let known: ReadonlySet<string> | undefined

/** Whether a password, in lower case, is on the list of the most common ones. The list is read at the first use and stays in memory. */
export const isWeakPassword = (password: string): boolean => {
  known ??= readList()
  return known.has(password)
}

// The lines before the list hold its licence.
const readList = (): ReadonlySet<string> =>
  new Set(
    readFileSync(releaseFile('packages/core/data/weak-passwords.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
