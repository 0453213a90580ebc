import type { ActionDecision, RunStep, RunToolCall } from '@agent-run-service/sdk'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { duration, shortId, usd } from '../../ui/format.ts'
import { JsonView } from '../../ui/json-view.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { RunPerson } from './run-person.tsx'
import { usageWords } from './usage-words.ts'

const names: Readonly<Record<string, string>> = { model: 'Model', tools: 'Tools', remote: 'Remote agent' }

/** Text, tool calls, usage, failed tries and decisions of one step. */
export const StepDetails = ({ step }: { step: RunStep }) => (
  <>
    <h2 className="mb-3 min-w-0 break-words font-semibold">
      Step {step.number} · {step.model ?? wordOf(names, step.type)}
    </h2>
    <DetailList
      items={[
        ['Duration', duration(step.duration_ms)],
        ['Tokens', usageWords(step.usage)],
        ['Cost', usd(step.usage.cost_usd)],
        ['Started', <Time key="started" at={step.started_at} />],
      ]}
    />
    {step.attempts.length > 0 && (
      <Block title="Failed tries">
        {step.attempts.map(({ started_at, error }) => (
          <p key={started_at} className="mb-1 break-words [unicode-bidi:isolate]">
            <Time at={started_at} /> <span className="text-bad">{error.code}</span> {error.message.slice(0, 300)}
          </p>
        ))}
      </Block>
    )}
    {step.text && (
      <Block title="Said">
        <JsonView value={step.text} name={`step-${step.number}`} />
      </Block>
    )}
    {step.tool_calls.map((call, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a step never move.
      <ToolCall key={n} call={call} />
    ))}
    {step.decisions.length > 0 && (
      <Block title="Decisions">
        {step.decisions.map((decision) => (
          <DecisionLine key={decision.action_id} decision={decision} />
        ))}
      </Block>
    )}
  </>
)

const Block = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section className="mt-4">
    <h3 className="mb-1 font-medium text-ink-3 text-xs">{title}</h3>
    <div className="overflow-auto rounded-md border border-line bg-surface p-2.5">{children}</div>
  </section>
)

const tones: Readonly<Record<string, Tone>> = { completed: 'good', failed: 'bad', started: 'run', waiting: 'plain' }

const ToolCall = ({ call }: { call: RunToolCall }) => (
  <Block title={`Tool ${call.name.slice(0, 200)}${call.connector_id ? ` (${shortId(call.connector_id)})` : ''}`}>
    <p className="mb-2">
      <Badge label={wordOf(words.toolCalls, call.status)} tone={tones[call.status] ?? 'plain'} />
    </p>
    <h4 className="text-ink-3 text-xs">Arguments</h4>
    <JsonView value={call.arguments} name="arguments" />
    {call.result !== null && call.result !== undefined && (
      <>
        <h4 className="mt-2 text-ink-3 text-xs">Result</h4>
        <JsonView value={call.result} name="result" />
      </>
    )}
    {call.decision && <DecisionLine decision={call.decision} />}
  </Block>
)

const DecisionLine = ({ decision }: { decision: ActionDecision }) => (
  <p className="mt-2 break-words [unicode-bidi:isolate]">
    {wordOf(words.decisions, decision.type)} by <RunPerson id={decision.by} />, <Time at={decision.at} />
    {decision.comment && `: «${decision.comment.slice(0, 2_000)}»`}
  </p>
)
