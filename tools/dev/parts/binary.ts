import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The full path of the first program found, searched for in `directories` and then along PATH. */
export const findBinary = (names: readonly string[], directories: readonly string[] = []): string | undefined => {
  const path = [...directories, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin']
  for (const name of names) {
    for (const directory of path) {
      const file = join(directory, name)
      if (directory && isExecutable(file)) return file
    }
  }
  return undefined
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
