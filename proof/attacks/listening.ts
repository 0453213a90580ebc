import { readFileSync } from 'node:fs'

/** The ports that somebody on this machine listens on at an address that others may reach, as Linux tells it. */
export const listeningBeyondLoopback = (): number[] => {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(1))
  return rows.flatMap((row) => {
    const [, local = '', , state] = row.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    return state === listens && !isLoopback(address) ? [Number.parseInt(port, 16)] : []
  })
}

const listens = '0A'

/** 127.0.0.0/8, ::1 and the former in the form of the latter; groups of four bytes, the last byte first. */
const isLoopback = (address: string): boolean =>
  /^[0-9A-F]{6}7F$/.test(address) ||
  address === '00000000000000000000000001000000' ||
  /^0{16}FFFF0000[0-9A-F]{6}7F$/.test(address)
