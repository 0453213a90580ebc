import type { Attack } from './attack.ts'
import { byteAttacks } from './byte-attacks.ts'
import { frameAttacks } from './frame-attacks.ts'
import { requestAttacks } from './request-attacks.ts'
import { socketAttacks } from './socket-attacks.ts'

export const attacks: readonly Attack[] = [...socketAttacks, ...frameAttacks, ...requestAttacks, ...byteAttacks]

export const attackNamed = (name: string): Attack => {
  const attack = attacks.find((each) => each.name === name)
  if (!attack) throw new Error(`There is no attack ${name}; there are: ${attacks.map((each) => each.name).join(', ')}`)
  return attack
}
