import { expect, test } from 'vitest'
import { securityTxt } from './security-txt.ts'

test('security.txt names each contact, an expiry within a year, its own address and the policy', () => {
  const page = securityTxt({
    contacts: ['mailto:security@example.com', 'https://example.com/report'],
    policyUrl: 'https://example.com/policy',
    publicUrl: 'https://agents.example.com',
    now: new Date('2026-03-01T13:14:15Z'),
  })
  expect(page).toBe(
    [
      'Contact: mailto:security@example.com',
      'Contact: https://example.com/report',
      'Expires: 2026-08-28T00:00:00.000Z',
      'Preferred-Languages: en',
      'Canonical: https://agents.example.com/.well-known/security.txt',
      'Policy: https://example.com/policy',
      '',
    ].join('\n'),
  )
})

test('security.txt leaves the policy out when none is set', () => {
  const page = securityTxt({
    contacts: ['mailto:security@example.com'],
    policyUrl: undefined,
    publicUrl: 'https://agents.example.com',
    now: new Date('2026-03-01T00:00:00Z'),
  })
  expect(page).not.toContain('Policy')
})
