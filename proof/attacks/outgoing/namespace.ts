import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Ports on which something inner could answer: the two of the web, and one that the operator allows. */
export const markerPorts = [80, 443, 9443] as const
export const allowedPort = 9443

/** Inner addresses of every kind. The service does not listen there on these ports, so every connection was caused by an attack. */
export const markerAddresses = [
  '127.0.0.1',
  '127.0.0.2',
  '10.0.0.5',
  '172.16.9.9',
  '192.168.7.7',
  '169.254.169.254',
  '100.100.100.200',
  '::1',
  'fd00:ec2::254',
] as const

/** Plays a host of the public Internet. The namespace has no way out, so the true owner of the address never hears of it. */
export const publicAddress = '93.184.215.14'
export const nameServerAddress = '127.0.0.53'

export type MarkerNamespace = {
  /** A command line that runs another inside: there it alone is the network, and its names are those of our name server. */
  command(resolvConf: string, args: readonly string[]): [string, string[]]
  remove(): Promise<void>
}

const run = promisify(execFile)
const ip = (...args: string[]): Promise<unknown> => run('ip', args)

/** Null, with the reason told, where one may not make it. */
export const makeMarkerNamespace = async (tell: (words: string) => void): Promise<MarkerNamespace | null> => {
  const name = `ars-marker-${process.pid}`
  const remove = async (): Promise<void> => {
    await ip('netns', 'del', name).catch(() => undefined)
  }
  try {
    await ip('netns', 'add', name)
    await ip('-n', name, 'link', 'set', 'lo', 'up')
    for (const address of [...markerAddresses, publicAddress]) {
      if (/^127\.|^::1$/.test(address)) continue
      const bits = address.includes(':') ? ['/128', 'nodad'] : ['/32']
      await ip('-n', name, 'addr', 'add', `${address}${bits[0]}`, 'dev', 'lo', ...bits.slice(1))
    }
    // Some systems let a namespace be made and nothing be run in it.
    await ip('netns', 'exec', name, process.execPath, '--version')
    return { command: (file, args) => ['ip', ['netns', 'exec', name, 'sh', '-c', begin, 'sh', file, ...args]], remove }
  } catch (error) {
    await remove()
    tell(`No network namespace here: ${String(error).split('\n').slice(0, 2).join(' ')}`)
    return null
  }
}

// `ip netns exec` gives the command separate mounts, so the file of the host is not changed.
const begin = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'
