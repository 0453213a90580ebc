import type { Starter } from './starter.ts'

const program = `import { AgentRunService, ApiError } from '@agent-run-service/sdk'

const client = new AgentRunService() // reads ARS_API_KEY and ARS_BASE_URL

try {
  const run = await client.runs.createAndWait({
    agent_id: process.env.ARS_AGENT_ID ?? '',
    input: { query: process.argv[2] ?? 'Hello' },
  })
  for (const action of run.required_actions) console.log(\`It waits for a decision: \${action.message}\`)
  console.log(run.id, run.status, run.output?.result ?? run.error?.message ?? '')
} catch (error) {
  if (!(error instanceof ApiError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
`

export const typescript: Starter = {
  title: 'Node 22.18 or newer, which runs TypeScript',
  ignored: ['node_modules/'],
  caVariable: 'NODE_EXTRA_CA_CERTS',
  commands: [
    ['npm', 'install'],
    ['node', 'main.ts'],
  ],
  files: ({ version, sdk }) => {
    const manifest = {
      name: 'my-program',
      private: true,
      type: 'module',
      engines: { node: '>=22.18' },
      dependencies: { '@agent-run-service/sdk': sdk === undefined ? version : `file:${sdk}` },
    }
    return { 'main.ts': program, 'package.json': `${JSON.stringify(manifest, null, 2)}\n` }
  },
}
