import { hostname, userInfo } from 'node:os'

/** The operating-system user and the host of this process, for records of commands: `ada@host-1`. */
export const operatorName = (): string => `${userName()}@${hostname()}`

// A container may run under a number that has no name.
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
