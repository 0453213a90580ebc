import type { CreatedApiKey, Run } from '@agent-run-service/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Circle } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { apiAddress, client } from '../../api/client.ts'
import { mayPoll } from '../../api/connection.ts'
import { useReason } from '../../session.ts'
import { runSamples } from '../../snippets.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { toastProblem } from '../../ui/toast.tsx'

const firstKeyScopes = ['runs:read', 'runs:write', 'agents:read'] as const
const sampleInput = { text: 'Hello there' }
const waitMs = 10 * 60_000

/** Three rows that tick themselves: run an agent, make a key, call from your own program. */
export const FirstSteps = ({ newestRun }: { newestRun: Run | null }) => {
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const agent = agents.find(({ name, catalog_key }) => (catalog_key ?? name) === 'test-stream') ?? agents[0]
  const [made, setMade] = useState<CreatedApiKey | null>(null)
  const [isCopied, setIsCopied] = useState(false)
  const isCalled = useKeyIsUsed(made?.id ?? null)
  return (
    <section aria-labelledby="first-steps" className="max-w-3xl p-4">
      <h2 id="first-steps" className="mb-1 font-semibold text-lg">
        Your first call
      </h2>
      <p className="mb-3 text-ink-2">Three steps, then your own program runs agents.</p>
      <ol className="grid gap-2">
        <Step isDone={newestRun !== null} title="Run an agent" text="See one answer, word by word, in the playground.">
          <Link
            to="/playground"
            search={{ ...(agent && { agent_id: agent.id }), start: 'true' }}
            className={buttonLook(newestRun === null ? 'primary' : 'plain')}
          >
            Run an agent
          </Link>
        </Step>
        <Step isDone={made !== null} title="Create a key" text="Programs authenticate with an API key.">
          <CreateFirstKey isMade={made !== null} onMade={setMade} />
        </Step>
        <Step isDone={isCalled} title="Call it" text="Copy the block and run it in a terminal.">
          {null}
        </Step>
      </ol>
      {made && agent && (
        <div className="mt-4">
          <p className="mb-2 text-ink-2">
            The key <strong>{made.name}</strong> is shown only here. Store it before you leave this page.
          </p>
          <CodeTabs
            label="Your first call"
            samples={runSamples({
              address: apiAddress,
              request: { agent_id: agent.id, input: sampleInput },
              ...(made.key !== null && { apiKey: made.key }),
            })}
            onCopied={() => setIsCopied(true)}
          />
          <p role="status" className="mt-2 text-ink-2">
            {isCalled && <CalledNote />}
            {!isCalled && isCopied && 'Waiting for the first call of this key…'}
          </p>
        </div>
      )}
    </section>
  )
}

const Step = (props: { isDone: boolean; title: string; text: string; children: ReactNode }) => (
  <li className="flex flex-wrap items-center gap-3 rounded-lg border border-line p-3">
    {props.isDone ? (
      <Check aria-hidden size={18} className="text-good" />
    ) : (
      <Circle aria-hidden size={18} className="text-ink-3" />
    )}
    <div className="min-w-40 flex-1">
      <p className="font-medium">
        {props.title}
        {props.isDone && <span className="sr-only">, done</span>}
      </p>
      <p className="text-ink-2 text-xs">{props.text}</p>
    </div>
    {props.children}
  </li>
)

const CreateFirstKey = ({ isMade, onMade }: { isMade: boolean; onMade(key: CreatedApiKey): void }) => {
  const reason = useReason('keys:write')
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const create = async () => {
    setIsBusy(true)
    try {
      onMade(await client.apiKeys.create({ name: 'My first key', kind: 'live', scopes: [...firstKeyScopes] }))
      void queryClient.invalidateQueries({ queryKey: ['api-keys', 'list'] })
    } catch (error) {
      toastProblem('No key was made', error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Button isBusy={isBusy} reason={isMade ? 'The key is made: see below.' : reason} onClick={() => void create()}>
      Create a key
    </Button>
  )
}

/** Asks every 3 s, for 10 minutes at most, whether the key has been used. */
const useKeyIsUsed = (keyId: string | null): boolean => {
  const { data = false } = useQuery({
    queryKey: ['api-keys', keyId, 'used'],
    queryFn: async () => (await client.apiKeys.get(keyId ?? '')).last_used_at !== null,
    enabled: keyId !== null,
    refetchInterval: ({ state }) =>
      state.data === true || state.dataUpdateCount > waitMs / 3_000 || !mayPoll() ? false : 3_000,
  })
  return data
}

const CalledNote = () => {
  const { data: run } = useQuery({
    queryKey: ['home', 'first-call'],
    queryFn: async () => (await client.runs.list({ view: 'summary', limit: 1 })).data[0] ?? null,
  })
  if (!run) return 'Your program has called.'
  return (
    <>
      Your program has called.{' '}
      <Link to="/runs/$runId" params={{ runId: run.id }} className="text-accent underline">
        See its run
      </Link>
    </>
  )
}
