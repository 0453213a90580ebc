import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromStreamGenerator, StreamAnswers, StreamSetup, ToStreamGenerator } from './stream-protocol.ts'

/** The process that holds all clients. */
export interface StreamLoad {
  pid(): number | undefined
  ask<Order extends ToStreamGenerator>(order: Order): Promise<StreamAnswers[Order['kind']]>
  close(): void
}

export async function startStreamLoad(setup: StreamSetup): Promise<StreamLoad> {
  const child = fork(fileURLToPath(new URL('./stream-generator.ts', import.meta.url)), {
    env: { ...process.env, NODE_ENV: 'production' },
  })
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
