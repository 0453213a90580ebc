import { expect, test } from 'vitest'
import { runSamples } from './snippets.ts'

const hostile = { text: `it's "quoted" $HOME \`id\` \\ and\nnew lines`, n: 1 }
const request = { agent_id: 'ag_1', input: hostile, metadata: { customer: `a'b "c"` }, timeout_seconds: 30 }
const call = { address: 'https://agents.example.com/v2', request, apiKey: 'ars_live_x' }
const codeOf = (title: string) => runSamples(call).find((sample) => sample.title === title)?.code ?? ''

test('the five samples are there in their order', () => {
  expect(runSamples(call).map(({ title }) => title)).toEqual(['curl', 'TypeScript', 'Python', 'Go', 'ars'])
})

test('on this computer the curl command names the certificate', () => {
  const [curl] = runSamples({ ...call, address: 'https://localhost:8443/v2' })
  expect(curl?.code).toContain('--cacert "$ARS_CA_FILE"')
})

test('the other languages have every field that is set, and none that is not', () => {
  expect(codeOf('TypeScript')).toContain(`metadata: {"customer":"a'b \\"c\\""}, timeout_seconds: 30 }`)
  expect(codeOf('Python')).toContain('timeout_seconds=30)')
  expect(codeOf('Python')).toContain(`metadata=json.loads("{\\"customer\\"`)
  expect(codeOf('Go')).toContain(JSON.stringify(JSON.stringify(request)))
  const plain = { ...call, request: { agent_id: 'ag_1', input: {}, metadata: undefined } }
  for (const { code } of runSamples(plain)) expect(code).not.toMatch(/metadata|timeout/)
})
