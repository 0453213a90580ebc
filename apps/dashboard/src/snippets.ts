import type { CreateRun } from '@agent-run-service/sdk'
import type { CodeSample } from './ui/code-tabs.tsx'

export type Call = {
  /** The address of the API, such as `https://agents.example.com/v2`. */
  address: string
  request: CreateRun
  /** An API key to show; without one the samples read it from the environment. */
  apiKey?: string
}

/** The same request in each language that has a client. Every field of the request is in every sample. */
export const runSamples = ({ address, request, apiKey }: Call): readonly CodeSample[] => {
  const isLocal = /^https:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/.test(address)
  const exports = [
    `export ARS_BASE_URL=${shell(address)}`,
    `export ARS_API_KEY=${apiKey === undefined ? "'…'" : shell(apiKey)}`,
  ]
  return [
    {
      title: 'curl',
      code: [
        `curl ${isLocal ? '--cacert "$ARS_CA_FILE" ' : ''}${shell(`${address}/runs`)} \\`,
        `  -H ${apiKey === undefined ? '"Authorization: Bearer $ARS_API_KEY"' : shell(`Authorization: Bearer ${apiKey}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${shell(JSON.stringify(request))}`,
      ].join('\n'),
    },
    {
      title: 'TypeScript',
      code: [
        `import { AgentRunService } from '@agent-run-service/sdk'`,
        '',
        `const client = new AgentRunService({ apiKey: ${apiKey === undefined ? 'process.env.ARS_API_KEY' : JSON.stringify(apiKey)}, baseUrl: ${JSON.stringify(address)} })`,
        `const run = await client.runs.create({ ${joined(request, (key, json) => `${key}: ${json}`)} })`,
        'console.log(run.status, run.output)',
      ].join('\n'),
    },
    {
      title: 'Python',
      code: [
        '# pip install agent-run-service',
        ...exports.map((line) => `# ${line}`),
        'import json',
        'from agent_run_service import AgentRunService',
        '',
        'client = AgentRunService()',
        `run = client.runs.create(${joined(request, pythonArgument)})`,
        'print(run.status, run.output)',
      ].join('\n'),
    },
    { title: 'Go', code: goProgram(request, exports) },
    { title: 'ars', code: [...exports, arsCommand(request)].join('\n') },
  ]
}

/** The fields that are set, each printed with its name and its value as JSON. */
const joined = (request: CreateRun, print: (key: string, json: string) => string): string =>
  Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => print(key, JSON.stringify(value)))
    .join(', ')

/** Texts and numbers of JSON are the same in Python; objects are not, because of `true` and `null`. */
const pythonArgument = (key: string, json: string): string =>
  `${key}=${json.startsWith('{') ? `json.loads(${JSON.stringify(json)})` : json}`

const arsCommand = ({ agent_id, input, metadata, timeout_seconds }: CreateRun): string =>
  [
    `ars runs create ${shell(agent_id)} --input ${shell(JSON.stringify(input))}`,
    ...(metadata === undefined ? [] : [`--metadata ${shell(JSON.stringify(metadata))}`]),
    ...(timeout_seconds === undefined ? [] : [`--timeout-seconds ${timeout_seconds}`]),
  ].join(' ')

const goProgram = (request: CreateRun, exports: readonly string[]): string =>
  [
    ...exports.map((line) => `// ${line}`),
    'package main',
    '',
    'import (',
    '\t"context"',
    '\t"encoding/json"',
    '\t"fmt"',
    '\t"log"',
    '',
    '\tars "github.com/agent-run-service/agent-run-service/sdks/go"',
    ')',
    '',
    'func main() {',
    '\tclient, err := ars.NewClient()',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tvar request ars.CreateRun',
    `\tif err := json.Unmarshal([]byte(${JSON.stringify(JSON.stringify(request))}), &request); err != nil {`,
    '\t\tlog.Fatal(err)',
    '\t}',
    '\trun, err := client.Runs.Create(context.Background(), request)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tfmt.Println(run.Status, run.Output)',
    '}',
  ].join('\n')

/** One word of a shell, whatever it contains. */
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
