import type { Config } from '@ars/core/config'
import { ConfigError, variableName } from '@ars/platform/config'

type Setting = keyof Config & string

/** Where a process listens: the settings of the address and of the port. */
const listeners: readonly (readonly [Setting, Setting])[] = [
  ['httpHost', 'httpPort'],
  ['httpHost', 'plainHttpPort'],
  ['workerHost', 'workerPort'],
  ['metricsHost', 'metricsPort'],
]

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this computer does not have that address',
  EACCES: 'this user may not listen there',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name cannot be resolved now',
}

/** An error of the operating system at the start comes from a setting: the message names it. Other errors stay as they are. */
export const explainStart = (error: unknown, config: Config): unknown => {
  if (!(error instanceof Error) || error instanceof ConfigError || !('syscall' in error)) return error
  const {
    code = '',
    message,
    syscall,
    port,
    hostname,
  } = error as NodeJS.ErrnoException & {
    port?: number
    hostname?: string
  }
  const listener = listeners.find(([host, at]) =>
    syscall === 'getaddrinfo' ? config[host] === hostname : syscall === 'listen' && config[at] === port,
  )
  if (!listener) return new ConfigError(message, { cause: error })
  const [host, at] = listener
  const place = `${config[host]}:${config[at]}`
  const settings = `${variableName(host)} and ${variableName(at)}`
  return new ConfigError(`${settings}: cannot listen on ${place}: ${reasons[code] ?? code}`, { cause: error })
}
