import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A program of an experiment as a process, with messages both ways. */
export const forkProgram = (program: URL, env: NodeJS.ProcessEnv = {}): ChildProcess =>
  fork(fileURLToPath(program), { env: { ...process.env, NODE_ENV: 'production', ...env } })

/** The next message of this kind. Rejects when the process ends first. */
export const nextMessage = <Message extends { kind: string }, Kind extends Message['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<Message, { kind: Kind }>> =>
  new Promise((resolve, reject) => {
    const hear = (message: Message): void => {
      if (message.kind !== kind) return
      settle()
      resolve(message as Extract<Message, { kind: Kind }>)
    }
    const fail = (): void => {
      settle()
      reject(new Error(`the process ended before its message "${kind}"`))
    }
    const settle = (): void => {
      child.off('message', hear)
      child.off('exit', fail)
    }
    child.on('message', hear)
    child.once('exit', fail)
  })

/** A separate process, so that its CPU time is measured separately. It ends with the bench. */
export const startChild = async (program: URL, env: NodeJS.ProcessEnv): Promise<ChildProcess> => {
  const child = forkProgram(program, env)
  await once(child, 'message')
  return child
}
