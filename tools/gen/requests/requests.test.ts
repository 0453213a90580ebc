import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientModel } from '../client-model.ts'
import { languages, type RenderedBlock, requestRenderer } from './index.ts'
import { parseBlock } from './parse-block.ts'
import { pageProgram } from './programs.ts'

const root = join(import.meta.dirname, '../../..')
const render = requestRenderer(clientModel())
const block = (code: string, mode = ''): string => `\`\`\`sh${mode}\n${code}\n\`\`\`\n`
const textsOf = (markdown: string): Record<string, string> => {
  const last = render(markdown).at(-1)
  if (!last || !('texts' in last)) throw new Error(last?.reason ?? 'there is no block')
  return last.texts
}

const guides = globSync('docs/{guides,tutorials}/*.md', { cwd: root })
  .sort()
  .map((file) => ({ file, blocks: render(readFileSync(join(root, file), 'utf8')) }))
const rendered = guides.flatMap(({ file, blocks }) =>
  blocks.flatMap((each) => ('texts' in each ? [{ file, ...each }] : [])),
)

/** Blocks that call the API and that a reader of the site sees in the shell only. Keep the list short. */
const shellOnly = `
docs/guides/alerts.md: it uses \`ars\`
docs/guides/audit.md: no program can read id without a question for its type
docs/guides/authentication.md: no program can read organisation without a question for its type
docs/guides/batches.md: it uses || of the shell
docs/guides/keys.md: it uses \`pnpm\`
docs/guides/limits.md: it uses \`for\`
docs/guides/pipelines.md: it uses \`ars\`
docs/guides/policies.md: it uses \`ars\`
docs/guides/try-a-policy.md: it uses \`date\`
docs/guides/webhooks.md: it uses \`ars\`
docs/tutorials/first-webhook.md: it uses > of the shell
docs/tutorials/first-webhook.md: it uses \`ars\`
docs/tutorials/first-webhook.md: it uses \`ars\`
docs/tutorials/kill-it.md: $id is a value of a block that no program can read
docs/tutorials/kill-it.md: it uses > of the shell
docs/tutorials/kill-it.md: it uses & of the shell
docs/tutorials/kill-it.md: it uses & of the shell
docs/tutorials/kill-it.md: it uses \${ARS_BASE_URL%/v2} of the shell
`

test('every block of the guides that calls the API is there in four languages, but those of the list', () => {
  const found = guides.flatMap(({ file, blocks }) =>
    blocks.flatMap((each) => ('reason' in each && /\bcall /.test(each.code) ? [`${file}: ${each.reason}`] : [])),
  )
  expect(found.sort()).toEqual(shellOnly.trim().split('\n').sort())
  expect(rendered.length).toBeGreaterThan(110)
})

test('what a reader sees has no function of a clone, and no value that is missing', () => {
  for (const { file, line, texts } of rendered) {
    for (const language of languages) {
      const text = texts[language].replaceAll(/^#.*$/gm, '')
      expect([file, line, text]).toEqual([
        file,
        line,
        expect.not.stringMatching(/(^|\$\(|\| )(call|field|agent) (?!:?=)|undefined|\[object/m),
      ])
    }
    // The setup only sets variables.
    expect(texts.curl).toMatch(/curl |agent-run-service\/env|^\w+=|jq/)
  }
})

test('a block is a list of requests', () => {
  const code = `id=$(call /runs -H 'Prefer: respond-async' -d '{"agent_id":"'$(agent test-slow)'","input":{"seconds":2}}' | field id)
call "/runs/$id/stream?after=1"`
  expect(parseBlock(code)).toEqual([
    { kind: 'agent', agent: 'test-slow', save: 'test_slow' },
    {
      kind: 'request',
      field: 'id',
      save: 'id',
      request: {
        method: 'POST',
        path: ['/runs'],
        query: [],
        headers: [{ name: 'Prefer', value: ['respond-async'] }],
        showsHeaders: false,
        body: {
          json: {
            fields: [
              ['agent_id', { quoted: [{ variable: 'test_slow' }] }],
              ['input', { fields: [['seconds', 2]] }],
            ],
          },
          source: `'{"agent_id":"'$test_slow'","input":{"seconds":2}}'`,
        },
      },
    },
    {
      kind: 'request',
      request: {
        method: 'GET',
        path: ['/runs/', { variable: 'id' }, '/stream'],
        query: [{ name: 'after', value: ['1'], isEncoded: false }],
        headers: [],
        showsHeaders: false,
      },
    },
  ])
})

test('a call with a key and a wait, its answer and a part of a later answer are in every language', () => {
  const texts = textsOf(
    block(`approval=$(agent test-approval)
id=$(call /runs -H "Idempotency-Key: order-7" -H 'Prefer: wait=20' -d '{"agent_id":"'$approval'","input":{"count":2}}' | field id)
first=$(call "/runs/$id" | field required_actions.0.id)
call "/runs/$id/action" -d '{"type":"approve","action_id":"'$first'"}' | field status`),
  )
  expect(texts.curl).toBe(`approval=$(curl -sS "$ARS_BASE_URL/agents?q=test-approval" \\
  -H "Authorization: Bearer $ARS_API_KEY" | jq -r '.data[0].id')
id=$(curl -sS "$ARS_BASE_URL/runs" \\
  -H "Authorization: Bearer $ARS_API_KEY" \\
  -H "Idempotency-Key: order-7" \\
  -H "Prefer: wait=20" \\
  -H 'Content-Type: application/json' \\
  -d '{"agent_id":"'$approval'","input":{"count":2}}' | jq -r '.id')
first=$(curl -sS "$ARS_BASE_URL/runs/$id" -H "Authorization: Bearer $ARS_API_KEY" |
  jq -r '.required_actions[0].id')
curl -sS "$ARS_BASE_URL/runs/$id/action" \\
  -H "Authorization: Bearer $ARS_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"approve","action_id":"'$first'"}' | jq -r '.status'
`)
  expect(texts.typescript).toBe(`const approval = (await client.agents.list({ q: 'test-approval' })).data[0]!.id
const run = await client.runs.create(
  { agent_id: approval, input: { count: 2 } },
  { wait: 20, idempotencyKey: 'order-7' },
)
const first = (await client.runs.get(run.id)).required_actions[0]!.id
const result = await client.runs.act(run.id, {
  type: 'approve',
  action_id: first,
})
console.log(result.status)
`)
  expect(texts.python).toBe(`approval = client.agents.list(q="test-approval").data[0].id
run = client.runs.create(
    agent_id=approval,
    input={"count": 2},
    wait=20,
    idempotency_key="order-7",
)
first = client.runs.get(run.id).required_actions[0].id
print(client.runs.act(run.id, type="approve", action_id=first).status)
`)
  expect(texts.go).toBe(`page, err := client.Agents.ListPage(ctx, &ars.AgentsListParams{
	Q: ars.Ptr("test-approval"),
})
if err != nil {
	log.Fatal(err)
}
approval := page.Data[0].ID
run, err := client.Runs.Create(
	ctx,
	ars.CreateRun{AgentID: approval, Input: map[string]any{"count": 2}},
	ars.WithWait(20*time.Second),
	ars.WithIdempotencyKey("order-7"),
)
if err != nil {
	log.Fatal(err)
}
result, err := client.Runs.Get(ctx, run.ID)
if err != nil {
	log.Fatal(err)
}
first := result.RequiredActions[0].ID
result, err = client.Runs.Act(ctx, run.ID, ars.SendAction{
	Type:     ars.SendActionTypeApprove,
	ActionID: ars.Ptr(first),
})
if err != nil {
	log.Fatal(err)
}
fmt.Println(result.Status)
`)
})

test('what can be absent is checked where the program goes on with it', () => {
  const texts =
    textsOf(`${block(`id=$(call /agents/custom -d '{"name":"a","config":{"model":"simulated/echo"}}' | field id)`)}
${block(`dep=$(call "/agents/$id" -X PATCH -d '{"config":{"temperature":0.5}}' | field deployment.id)`)}`)
  expect(texts.typescript).toContain('.deployment!.id\n')
  expect(texts.python).toContain('assert result.deployment\ndep = result.deployment.id\n')
  expect(texts.go).toContain('dep := result.Deployment.ID\n')
})

test('lists, dates, waits and headers of responses are those of each SDK', () => {
  const texts = textsOf(
    block(`call '/runs?status=failed,cancelled&metadata[ticket]=7' -g
call /runs -G --data-urlencode "created_after=$(node -p 'new Date(Date.now() - 7 * 86_400_000).toISOString()')"
until [ "$(call "/runs/run_1" | field status)" = completed ]; do sleep 1; done
call /runs -i -d '{"agent_id":"ag_1","input":{}}'`),
  )
  expect(texts.curl).toContain(`"created_after=$(jq -nr '(now - 604800) | todate')"`)
  expect(texts.typescript).toContain(
    `client.runs.list({\n  status: ['failed', 'cancelled'],\n  metadata: { ticket: '7' },\n})`,
  )
  expect(texts.typescript).toContain(`await client.runs.wait('run_1')\n`)
  expect(texts.typescript).toContain('.withResponse()')
  expect(texts.python).toContain('created_after=datetime.now(timezone.utc) - timedelta(seconds=604800)')
  expect(texts.python).toContain('client.runs.with_raw_response.create(agent_id="ag_1", input={})')
  expect(texts.go).toContain('CreatedAfter: ars.Ptr(time.Now().Add(-168 * time.Hour))')
  expect(texts.go).toContain('ars.WithResponse(&response)')
})

test.each([
  ['call /runs | grep x', 'it uses `grep`'],
  ['call /runs > file', 'it uses > of the shell'],
  ['call /runs &', 'it uses & of the shell'],
  ['call "/runs/$1"', 'it uses $1 of the shell'],
  ['call /runs -d "{"', 'its body is not JSON'],
  ['call /runs --retry 3', 'it uses --retry of curl'],
  ['call "/runs/$id"', '$id is a value of a block that no program can read'],
  ['call /nowhere', 'no method of the SDKs sends GET ["/nowhere"]'],
  [`call /runs -d '{"agent":"a"}'`, 'runs.create has no field agent'],
  ['call "/runs?colour=red"', 'runs.list has no parameter colour'],
  ['call /runs/a | field colour', 'Run has no field colour'],
  [
    'until [ "$(call "/agents/a" | field status)" = completed ]; do sleep 1; done',
    'the SDKs have no method that waits for agents.get',
  ],
])('%s stays a shell block', (code, reason) => {
  // Another block makes it a page of requests.
  const [, found] = render(block('call /runs') + block(code))
  expect(found).toMatchObject({ reason, code: `${code}\n` })
})

test('a value of a shell block is unknown to the programs, also if an earlier block knew it', () => {
  const blocks = render(
    block(`id=$(call /runs -d '{"agent_id":"a","input":{}}' | field id)`) +
      block('id=$(ars runs list --json | field data.0.id)') +
      block('call "/runs/$id"'),
  )
  expect(blocks.map((each) => 'texts' in each)).toEqual([true, false])
})

test('a page without requests has no tabs', () => {
  expect(render(block('. .dev/env') + block('ars agents list'))).toEqual([])
})

test('a program has the blocks of its page in order, and expects the refusal that the page shows', () => {
  const blocks: RenderedBlock[] = render(block('. .dev/env') + block('call /runs') + block('call /runs/a', ' fails'))
  expect(pageProgram(blocks, 'typescript')).toBe(`import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService() // reads ARS_BASE_URL and ARS_API_KEY
{
console.log('line 2')
{
console.log('line 5')
console.log((await client.runs.list()).data)
{
console.log('line 8')
let isRefused = false
try {
console.log(await client.runs.get('a'))
} catch {
  isRefused = true
}
if (!isRefused) throw new Error('line 8 was not refused')
}
}
}
export {}
`)
  expect(pageProgram(blocks, 'python')).toContain('try:\n    print(client.runs.get("a"))\nexcept ApiError:\n')
  expect(pageProgram(blocks, 'curl')).toContain('echo \'line 8\'\nif curl -sS "$ARS_BASE_URL/runs/a"')
  expect(pageProgram(blocks, 'go')).toContain('if recover() == nil {\nlog.Fatal("line 8 was not refused")')
})
