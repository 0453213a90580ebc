import { setPriority } from 'node:os'
import type { Assault, Strength, Tally, Target } from './attack.ts'
import { attackNamed } from './attacks.ts'

/** The process of one attack, separate from the measuring process and with the lowest CPU priority. */

export type ToAttacker = { kind: 'begin'; name: string; target: Target; strength: Strength } | { kind: 'stop' }

export type FromAttacker = { kind: 'in force' } | { kind: 'over'; tally: Tally }

const niceness = 10
let assault: Promise<Assault> | undefined

setPriority(niceness)
process.on('message', async (message: ToAttacker) => {
  if (message.kind === 'begin') {
    assault = attackNamed(message.name).begin(message.target, message.strength)
    await assault
    process.send?.({ kind: 'in force' } satisfies FromAttacker)
  } else {
    const tally = (await (await assault)?.stop()) ?? {}
    process.send?.({ kind: 'over', tally } satisfies FromAttacker, () => process.exit(0))
  }
})
process.on('disconnect', () => process.exit(1))
