import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Strength, Tally, Target } from './attack.ts'
import type { FromAttacker, ToAttacker } from './attacker.ts'

export type AttackerProcess = {
  pid: number
  /** Ends the attack and its process, and answers what came of it. */
  stop(): Promise<Tally>
}

const program = fileURLToPath(new URL('attacker.ts', import.meta.url))

/** Resolves when the attack is in force. */
export const startAttacker = async (name: string, target: Target, strength: Strength): Promise<AttackerProcess> => {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const tell = (message: ToAttacker): void => void child.send(message)
  const hear = (kind: FromAttacker['kind']): Promise<FromAttacker> =>
    new Promise((resolve, reject) => {
      child.on('message', (message: FromAttacker) => {
        if (message.kind === kind) resolve(message)
      })
      child.once('exit', (code) => reject(new Error(`the attacker ended before it should, with code ${code}`)))
    })
  const inForce = hear('in force')
  tell({ kind: 'begin', name, target, strength })
  await inForce
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      const over = hear('over')
      tell({ kind: 'stop' })
      const message = await over
      return message.kind === 'over' ? message.tally : {}
    },
  }
}
