import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runSamples } from './snippets.ts'

const hostile = { text: `it's "quoted" $HOME \`id\` \\ and\nnew lines`, n: 1 }
const request = { agent_id: 'ag_1', input: hostile, metadata: { customer: `a'b "c"` }, timeout_seconds: 30 }
const call = { address: 'https://agents.example.com/v2', request, apiKey: 'ars_live_x' }
const codeOf = (title: string) => runSamples(call).find((sample) => sample.title === title)?.code ?? ''

/** The words that a shell makes of a command, whose program is replaced by one that prints them. */
const wordsOf = (code: string, program: string): string[] =>
  execFileSync('sh', ['-c', `${program}() { printf '%s\\0' "$@"; }\n${code}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

test('a shell reads the curl command as it was meant, whatever the input contains', () => {
  const words = wordsOf(codeOf('curl'), 'curl')
  expect(words[0]).toBe('https://agents.example.com/v2/runs')
  expect(words).toContain('Authorization: Bearer ars_live_x')
  expect(JSON.parse(words.at(-1) ?? '')).toEqual(request)
})

test('a shell reads the ars command as it was meant', () => {
  const words = wordsOf(codeOf('ars'), 'ars')
  expect(words.slice(0, 4)).toEqual(['runs', 'create', 'ag_1', '--input'])
  expect(JSON.parse(words[4] ?? '')).toEqual(hostile)
  expect([words[5], JSON.parse(words[6] ?? '')]).toEqual(['--metadata', request.metadata])
  expect(words.slice(7)).toEqual(['--timeout-seconds', '30'])
})
