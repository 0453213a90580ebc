import { forkProgram } from '../../lab/child.ts'
import type { FromStreamGenerator, StreamAnswers, StreamSetup, ToStreamGenerator } from './protocol.ts'

/** The process that holds all clients. */
export type StreamLoad = {
  pid(): number | undefined
  ask<Order extends ToStreamGenerator>(order: Order): Promise<StreamAnswers[Order['kind']]>
  close(): void
}

export const startStreamLoad = async (setup: StreamSetup): Promise<StreamLoad> => {
  const child = forkProgram(new URL('./generator.ts', import.meta.url))
  let waiting: { resolve(result: never): void; reject(error: Error): void } | undefined
  child.on('message', (answer: FromStreamGenerator) => {
    if ('failure' in answer) waiting?.reject(new Error(answer.failure))
    else waiting?.resolve(answer.result as never)
  })
  child.once('exit', () => waiting?.reject(new Error('the clients ended')))
  const load: StreamLoad = {
    pid: () => child.pid,
    // One order at a time: the next is given when the last is done.
    ask: (order) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        child.send(order)
      }),
    close: () => child.disconnect(),
  }
  await load.ask(setup)
  return load
}
