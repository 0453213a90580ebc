import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSampled, openTraceContext, readTraceContext, storedTraceContext, traceHeaders } from './trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const good = `00-${traceId}-${spanId}-01`

test('a context is read, stored, opened and handed on unchanged', () => {
  const context = readTraceContext(good, 'vendor=1,other=x y')
  expect(context).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true })
  const opened = openTraceContext(storedTraceContext(context as never))
  expect(opened).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true })
  expect(traceHeaders(opened)).toEqual({ traceparent: good, tracestate: 'vendor=1,other=x y' })
  expect(openTraceContext(good)).toEqual({ traceId, spanId, traceFlags: 1, isRemote: true })
  expect(traceHeaders(undefined)).toEqual({})
})

test('the decision of the caller is read, and flags that are not defined are dropped', () => {
  const flagsOf = (flags: string) => readTraceContext(`00-${traceId}-${spanId}-${flags}`, undefined)
  expect(['00', '01', '02', '03'].map((flags) => isSampled(flagsOf(flags) as never))).toEqual([
    false,
    true,
    false,
    true,
  ])
  expect(traceHeaders(flagsOf('ff') ?? undefined)).toEqual({ traceparent: `00-${traceId}-${spanId}-03` })
})

test('a later version may have more fields, and is handed on as the version that is known here', () => {
  const context = readTraceContext(`cc-${traceId}-${spanId}-01-what-the-future-brings`, undefined)
  expect(traceHeaders(context ?? undefined)).toEqual({ traceparent: good })
})

test.each([
  ['nothing', undefined],
  ['several headers', `${good}, ${good}`],
  ['a list', [good]],
  ['an unknown version', `ff-${traceId}-${spanId}-01`],
  ['more fields than the version has', `${good}-more`],
  ['capital letters', good.toUpperCase()],
  ['no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['no span', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a short id', `00-${traceId.slice(1)}-${spanId}-01`],
  ['too much text', `cc-${traceId}-${spanId}-01-${'x'.repeat(100)}`],
])('a traceparent with %s is ignored', (_, traceparent) => {
  expect(readTraceContext(traceparent, 'vendor=1')).toBeNull()
})

test.each([
  ['too long', `a=${'x'.repeat(600)}`],
  ['of nothing that is a member', 'vendor,=1,A=1, ,'],
  ['with a line break', 'a=1\r\nx: y'],
  ['with characters beyond ASCII', 'a=ü'],
])('a tracestate that is %s is dropped, and the trace continues', (_, tracestate) => {
  expect(readTraceContext(good, tracestate)).toEqual({ traceId, spanId, traceFlags: 1, isRemote: true })
})

test('of a tracestate with many members the first 32 are handed on, and malformed ones are not', () => {
  const members = Array.from({ length: 40 }, (_, n) => `k${n}=${n}`)
  const { tracestate } = traceHeaders(readTraceContext(good, ['A=1', ...members, 'no'].join(',')) ?? undefined)
  expect(tracestate).toBe(members.slice(0, 32).join(','))
})

test('a context that was read from any text becomes valid headers', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0af-') }), fc.constant(good))
  fc.assert(
    fc.property(text, fc.string(), (traceparent, tracestate) => {
      const context = readTraceContext(traceparent, tracestate)
      if (!context) return
      const headers = traceHeaders(context)
      expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/)
      expect(headers.tracestate ?? '').toMatch(/^[\x20-\x7e]{0,512}$/)
      expect(traceHeaders(openTraceContext(storedTraceContext(context)))).toEqual(headers)
    }),
  )
})
