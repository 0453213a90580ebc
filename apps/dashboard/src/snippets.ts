import type { CodeSample } from './ui/code-tabs.tsx'

export type Call = {
  /** The address of the API, such as `https://agents.example.com/v2`. */
  address: string
  agentId: string
  input: unknown
  /** An API key to show; without one the samples read it from the environment. */
  apiKey?: string
}

/** Runs an agent in each language that has a client. */
export const runSamples = ({ address, agentId, input, apiKey }: Call): readonly CodeSample[] => {
  const json = JSON.stringify(input)
  const body = JSON.stringify({ agent_id: agentId, input })
  const isLocal = /^https:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/.test(address)
  const exports = [
    `export ARS_BASE_URL=${shell(address)}`,
    `export ARS_API_KEY=${apiKey === undefined ? "'…'" : shell(apiKey)}`,
  ].join('\n')
  return [
    {
      title: 'curl',
      code: [
        `curl ${isLocal ? '--cacert "$ARS_CA_FILE" ' : ''}${shell(`${address}/runs`)} \\`,
        `  -H ${apiKey === undefined ? '"Authorization: Bearer $ARS_API_KEY"' : shell(`Authorization: Bearer ${apiKey}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${shell(body)}`,
      ].join('\n'),
    },
    {
      title: 'TypeScript',
      code: [
        `import { AgentRunService } from '@agent-run-service/sdk'`,
        '',
        `const client = new AgentRunService({ apiKey: ${apiKey === undefined ? 'process.env.ARS_API_KEY' : JSON.stringify(apiKey)}, baseUrl: ${JSON.stringify(address)} })`,
        `const run = await client.runs.create({ agent_id: ${JSON.stringify(agentId)}, input: ${json} })`,
        'console.log(run.status, run.output)',
      ].join('\n'),
    },
    {
      title: 'Python',
      code: [
        '# pip install agent-run-service',
        ...exports.split('\n').map((line) => `# ${line}`),
        'import json',
        'from agent_run_service import AgentRunService',
        '',
        'client = AgentRunService()',
        `run = client.runs.create(agent_id=${JSON.stringify(agentId)}, input=json.loads(${JSON.stringify(json)}))`,
        'print(run.status, run.output)',
      ].join('\n'),
    },
    { title: 'Go', code: goProgram(agentId, json, exports) },
    { title: 'ars', code: [exports, `ars runs create ${shell(agentId)} --input ${shell(json)}`].join('\n') },
  ]
}

const goProgram = (agentId: string, json: string, exports: string): string =>
  [
    ...exports.split('\n').map((line) => `// ${line}`),
    'package main',
    '',
    'import (',
    '\t"context"',
    '\t"encoding/json"',
    '\t"fmt"',
    '\t"log"',
    '',
    '\tars "github.com/agent-run-service/sdk-go/v2"',
    ')',
    '',
    'func main() {',
    '\tclient, err := ars.NewClient()',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tvar input map[string]any',
    `\tif err := json.Unmarshal([]byte(${JSON.stringify(json)}), &input); err != nil {`,
    '\t\tlog.Fatal(err)',
    '\t}',
    `\trun, err := client.Runs.Create(context.Background(), ars.CreateRun{AgentID: ${JSON.stringify(agentId)}, Input: input})`,
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tfmt.Println(run.Status, run.Output)',
    '}',
  ].join('\n')

/** One word of a shell, whatever it contains. */
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
