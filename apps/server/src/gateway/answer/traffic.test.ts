import { EventEmitter } from 'node:events'
import { fakeClock } from '@ars/testkit/clock'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { Metrics } from '../../metrics.ts'
import { createTraffic } from './traffic.ts'

const mib = 1_048_576
const metrics = { bytesRefused: () => undefined, observeBytes: () => undefined } as unknown as Metrics

test('an organisation sends one large body at a time, and others send theirs', () => {
  const settings = { requestBytesMax: 512 * mib, responseBytesMax: 512 * mib, transferGraceMs: 10_000 }
  const traffic = createTraffic({ ...settings, transferBytesPerSecond: 1_024 }, { metrics, clock: fakeClock() })
  onTestFinished(traffic.close)
  const begin = (org: string, bytes: number) => {
    const raw = new EventEmitter()
    const request = {
      ...{ operationName: 'batches.create', caller: { org }, address: '192.0.2.1' },
      ...{ headers: { 'content-length': String(bytes) }, raw: { httpVersionMajor: 1 } },
    }
    traffic.incoming.reserve(request as unknown as FastifyRequest, { raw } as unknown as FastifyReply)
    return { end: () => raw.emit('close') }
  }
  const first = begin('one', 2 * mib)
  expect(() => begin('one', 2 * mib)).toThrow('one of the large request bodies in flight at a time')
  begin('other', 2 * mib)
  // Small ones are counted apart.
  begin('one', mib)
  first.end()
  begin('one', 2 * mib)
})
