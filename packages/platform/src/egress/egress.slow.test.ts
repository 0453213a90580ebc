import { afterAll, expect, test } from 'vitest'
import { at, certificate, closeAll, egressTo, failureOf, peers } from './test/receiver.ts'

afterAll(closeAll)

test('an idle stream times out, and an active stream does not', async () => {
  const peer = await peers.https(certificate, (request, response) => {
    response.writeHead(200)
    response.write('first')
    if (request.url === '/silent') return
    let left = 10
    const timer = setInterval(() => {
      if (left-- > 0) return response.write('more')
      clearInterval(timer)
      response.end()
    }, 50)
  })
  const egress = egressTo([peer.port])
  const read = async (path: string): Promise<string> => {
    const { body } = await egress.stream({ url: at(peer, path), idleTimeoutMs: 2000 })
    let text = ''
    for await (const chunk of body) text += Buffer.from(chunk).toString()
    return text
  }
  expect(await failureOf(read('/silent'))).toMatchObject({ kind: 'timeout', message: 'No byte moved for 2000 ms' })
  expect(await read('/talking')).toBe(`first${'more'.repeat(10)}`)
})
