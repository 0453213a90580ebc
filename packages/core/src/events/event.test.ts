import { type Event, eventSample, type Run as WireRun } from '@ars/contract'
import { fromUuid, toUuid } from '@ars/platform/id'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EventRow, encodeEventFrame, renderEvent, runOf } from './event.ts'

const run = eventSample('run.completed') as unknown as WireRun
const row: EventRow = {
  id: '01900000-0000-7000-8000-000000000001',
  type: 'run.completed',
  subject_id: toUuid(run.id),
  created_at: new Date('2026-01-15T09:30:02.150Z'),
  data: null,
  webhook_id: null,
}

test('an event of a run contains the run and cannot be built without it', () => {
  const rendered = renderEvent(row, run)
  expect(rendered?.event).toEqual({
    id: fromUuid('evt', row.id),
    type: 'run.completed',
    created_at: '2026-01-15T09:30:02.150Z',
    data: run,
  })
  expect(rendered?.text).toBe(JSON.stringify(rendered?.event))
  expect(renderEvent(row, undefined)).toBeNull()
  expect(runOf(row)).toBe(row.subject_id)
})

test('the values stored in the event override the current run, and its other times stay', () => {
  const data = { status: 'requires_action', output: null, timing: { execution_ms: null, waiting_ms: 0 } }
  const rendered = renderEvent({ ...row, type: 'run.requires_action', data }, run)
  expect(rendered?.event.data).toEqual({ ...run, ...data, timing: { ...run.timing, ...data.timing } })
  expect(Object.keys(rendered?.event.data ?? {})).toEqual(Object.keys(run))
})

test('a test event contains its sample and needs no run, whatever its type', () => {
  const sample = { ...row, data: { id: run.id }, webhook_id: row.id }
  expect(runOf(sample)).toBeNull()
  expect(renderEvent(sample, undefined)?.event.data).toEqual({ id: run.id })
})

test('a frame is three lines whatever an event contains, and its data is the event', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const rendered = renderEvent(
        { ...row, type: 'agent.updated', data: { text: `${text}\r\n\u0085\u2028\u2029` } },
        undefined,
      )
      if (!rendered) throw new Error('it can be rendered')
      const [id, event, data = '', ...rest] = encodeEventFrame(rendered).split(/\r\n|[\n\r\u0085\u2028\u2029]/)
      expect([id, event, rest]).toEqual([`id: ${rendered.event.id}`, 'event: agent.updated', ['', '']])
      expect(JSON.parse(data.slice('data: '.length)) as Event).toEqual(rendered.event)
    }),
  )
})
