import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventTypes, isPlannedEvent } from '@ars/contract'
import { describe, expect, test } from 'vitest'
import { plainFits, standardFits } from '../../../examples/receiver/receiver.ts'

/* The code of the receivers of the guide. receivers.slow.test.ts starts them, and delivers to them. */

const root = fileURLToPath(new URL('../../..', import.meta.url))
const receivers = join(root, 'examples/receiver')
const page = () => readFileSync(join(root, 'docs/guides/webhooks.md'), 'utf8')
const languages = [
  { name: 'TypeScript', file: 'receiver.ts', fence: 'ts' },
  { name: 'Python', file: 'receiver.py', fence: 'python' },
  { name: 'Go', file: 'receiver.go', fence: 'go' },
] as const

describe.each(languages)('the receiver in $name', (language) => {
  test('is in the guide exactly as tested here', () => {
    const text = readFileSync(join(receivers, language.file), 'utf8')
    expect(page()).toContain(`\`examples/receiver/${language.file}\`\n\n\`\`\`${language.fence}\n${text}\`\`\`\n`)
  })

  // The time of a comparison cannot be measured reliably, so the test checks the code for a constant-time comparison.
  test('[S65] compares whole signatures in constant time only', () => {
    const code = codeIn(readFileSync(join(receivers, language.file), 'utf8'))
    const { call, equals, otherComparisons } = comparisons[language.fence]
    expect([call, code.split(call).length - 1]).toEqual([call, 1])
    expect(code.match(/\bis_?equal\(/gi)).toHaveLength(equals)
    expect(code.match(/[^\s(!]+ (?:===?|!==?) [^\s),;:]+/g) ?? []).toEqual(otherComparisons)
    expect(code).not.toMatch(
      /\.equals\(|\.Compare\(|bytes\.Equal|EqualFold|startsWith|HasPrefix|localeCompare|includes/,
    )
  })
})

/**
 * For each receiver: the comparison of two whole texts; the number of calls of the function around it, for the two
 * kinds of signatures, including its definition where that reads the same; and the comparisons that are not of
 * signatures.
 */
const comparisons = {
  ts: {
    call: 'timingSafeEqual(left, right)',
    equals: 2,
    otherComparisons: ['left.length === right.length', 'oldest !== undefined'],
  },
  python: {
    call: 'hmac.compare_digest(given.encode(), wanted.encode())',
    equals: 3,
    otherComparisons: ['__name__ == _'],
  },
  go: {
    call: 'hmac.Equal([]byte(given), []byte(wanted))',
    equals: 3,
    otherComparisons: ['err != nil', 'err != nil', 'err == nil', '&one) != nil', 'certificate != _'],
  },
} as const

/** The code without comments, and with `_` for each string. */
const codeIn = (text: string): string =>
  text.replaceAll(/""".*?"""|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|(?:\/\/|#)[^\n]*/g, (part) =>
    /^["'`]/.test(part) ? '_' : '',
  )

type Vector = {
  name: string
  secrets: string[]
  now: number
  headers: Record<string, string>
  body: string | { before: string; repeat: string; times: number; after: string }
  plain: boolean
  standard: boolean
}

describe('the shared vectors', () => {
  const file = join(root, 'sdks/conformance/webhook-signatures.json')
  const vectors: Vector[] = JSON.parse(readFileSync(file, 'utf8')).verifying

  test.for(vectors)('hold in TypeScript: $name', ({ secrets, now, headers, body, plain, standard }) => {
    const text = typeof body === 'string' ? body : `${body.before}${body.repeat.repeat(body.times)}${body.after}`
    const bytes = Buffer.from(text)
    expect({
      plain: secrets.some((secret) => plainFits(secret, headers, bytes)),
      standard: secrets.some((secret) => standardFits(secret, headers, bytes, now)),
    }).toEqual({ plain, standard })
  })
})

test('the guide lists every event type and when it is sent', () => {
  const rows = Object.entries(eventTypes).map(([type, { when }]) => {
    const state = isPlannedEvent(type) ? 'Planned, not sent yet. ' : ''
    return `| \`${type}\` | ${state}${when} |`
  })
  for (const row of rows) expect(page()).toContain(row)
})
