import type { Recovery } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { recoveryShare, recoveryWords } from './recovery-progress.ts'

const recovery = (progress: Partial<Recovery['progress']>, status = 'running'): Recovery => ({
  id: 'rec_1',
  object: 'recovery',
  webhook_id: 'wh_1',
  since: '2026-01-15T10:00:00Z',
  until: '2026-01-15T12:00:00Z',
  status,
  progress: { found: 0, delivered: 0, failed: 0, scanned_until: null, ...progress },
  created_at: '2026-01-15T12:00:00Z',
  ended_at: null,
})

test('the slower of search and delivery is the progress', () => {
  expect(recoveryShare(recovery({}))).toBe(0)
  expect(recoveryShare(recovery({ scanned_until: '2026-01-15T11:00:00Z' }))).toBe(0.5)
  expect(recoveryShare(recovery({ scanned_until: '2026-01-15T12:00:00Z', found: 4, delivered: 1 }))).toBe(0.25)
  expect(recoveryShare(recovery({ found: 4, delivered: 1 }, 'cancelled'))).toBe(1)
})

test('the progress in words', () => {
  expect(recoveryWords(recovery({}))).toBe('No missed event was found so far.')
  expect(recoveryWords(recovery({ found: 1, delivered: 1 }))).toBe('Delivered 1 of 1 event.')
  expect(recoveryWords(recovery({ found: 5, delivered: 3, failed: 1 }))).toBe('Delivered 3 of 5 events, 1 failed.')
})
