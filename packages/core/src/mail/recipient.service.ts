import { createHmac } from 'node:crypto'
import type { Keyring } from '@ars/platform/envelope'
import type { Recipient } from './mail.ts'

/** A key that a program holds makes no others: then the hashes have a constant key. */
export const createRecipients = ({ derive }: Pick<Keyring, 'derive'>) => {
  const derived = derive('mail recipients').map(({ key }) => key)
  const keys = derived.length > 0 ? derived : ['mail recipients']
  const hashes = (text: string): readonly Buffer[] => keys.map((key) => createHmac('sha256', key).update(text).digest())
  return (org: string, address: string): Recipient => {
    const known = address.trim().toLowerCase()
    return { address: hashes(`address\0${known}`), invited: hashes(`invited\0${org}\0${known}`) }
  }
}
