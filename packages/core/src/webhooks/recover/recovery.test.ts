import { fromUuid, uuidFloor } from '@ars/platform/id'
import { expect, test } from 'vitest'
import { firstIdAfter, idsWithin, narrow, timeOf } from '../webhook/id-window.ts'
import { findingsOf } from './missed.ts'
import { isSearched, pendingOf, type Recovery, roomFor, searchedToTheEnd, toWireRecovery } from './recovery.ts'

const at = (text: string): Date => new Date(`2030-01-02T${text}Z`)
const idOf = (moment: Date): string => uuidFloor(moment)
const recovery: Recovery = {
  id: idOf(at('12:00:00')),
  org_id: idOf(at('00:00:00')),
  webhook_id: idOf(at('01:00:00')),
  since: at('10:00:00'),
  until: at('11:00:00'),
  status: 'running',
  cursor: null,
  found: 9,
  delivered: 4,
  failed: 2,
  created_at: at('12:00:00'),
  ended_at: null,
}

test('the progress of a recovery is shown as a time within its range', () => {
  const scannedUntil = (cursor: string | null) => toWireRecovery({ ...recovery, cursor }).progress.scanned_until
  expect(scannedUntil(null)).toBeNull()
  expect(scannedUntil(idOf(at('09:59:30')))).toBe('2030-01-02T10:00:00.000Z')
  expect(scannedUntil(idOf(at('10:30:00')))).toBe('2030-01-02T10:30:00.000Z')
  expect(scannedUntil(idOf(at('11:00:30')))).toBe('2030-01-02T11:00:00.000Z')
  expect(scannedUntil(searchedToTheEnd)).toBe('2030-01-02T11:00:00.000Z')
  expect([isSearched(recovery), isSearched({ cursor: searchedToTheEnd })]).toEqual([false, true])
  expect(toWireRecovery(recovery).webhook_id).toBe(fromUuid('wh', recovery.webhook_id))
})

test('a recovery enqueues batches of 200 until 1,000 of its deliveries wait, and continues below 500 (webhooksBounds.recoveryPending)', () => {
  expect(pendingOf(recovery)).toBe(3)
  expect([0, 1, 200, 499, 500, 999, 1_000].map(roomFor)).toEqual([5, 4, 4, 2, 0, 0, 0])
})

test('a search continues after the last event that it has examined, and ends when there are no more', () => {
  const missed = [{ id: 'b', type: 'test' }]
  const portion = { events: 100, fitting: 10 }
  const looked = { looked: 100, last: 'z', fitting: 10, lastFitting: 'm', missed }
  expect(findingsOf(looked, portion)).toEqual({ missed, looked: 100, next: 'm' })
  expect(findingsOf({ ...looked, fitting: 9 }, portion)).toEqual({ missed, looked: 100, next: 'z' })
  expect(findingsOf({ ...looked, looked: 99, fitting: 9 }, portion)).toEqual({ missed, looked: 99, next: null })
  expect(findingsOf({ ...looked, looked: 99 }, portion)).toMatchObject({ next: 'm' })
})

test('a time range is a range of ids, with one minute for clock differences', () => {
  const window = idsWithin({ since: at('10:00:00'), until: at('11:00:00') })
  expect(window).toEqual({ from: idOf(at('09:59:00')), to: idOf(at('11:01:00')) })
  expect(timeOf(window.from)).toEqual(at('09:59:00'))
  expect(idsWithin({ since: new Date(0), until: null }).from).toBe(uuidFloor(new Date(0)))
  expect(narrow(window, { above: idOf(at('10:30:00')), below: null })).toEqual({
    ...window,
    from: idOf(at('10:30:00')),
  })
  expect(narrow(window, { above: idOf(at('08:00:00')), below: idOf(at('12:00:00')) })).toEqual(window)
  const made = { id: idOf(at('10:00:00')), created_at: at('10:00:01') }
  expect(firstIdAfter(made)).toBe(idOf(at('09:59:01')))
  expect(firstIdAfter({ ...made, created_at: at('15:00:00') })).toBe(made.id)
})
