import type { Run, RunStep } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { runQuery, runStepsQuery } from '../../api/runs.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { duration, shortId, usd } from '../../ui/format.ts'
import { JsonView } from '../../ui/json-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { comparableStep, type Difference, differencesOf, valueAt } from './run-difference.ts'

/** Two runs side by side, with the place at which they parted. */
export const RunComparePage = () => {
  const { a, b } = useSearch({ from: '/app/runs/compare' })
  return (
    <>
      <PageHeader
        title="Compare two runs"
        trail={
          <Link to="/runs" className="hover:text-ink">
            Runs
          </Link>
        }
      />
      <Choice key={`${a} ${b}`} a={a ?? ''} b={b ?? ''} />
      {a && b && <Comparison a={a} b={b} />}
    </>
  )
}

const Choice = ({ a, b }: { a: string; b: string }) => {
  const navigate = useNavigate()
  const [one, setOne] = useState(a)
  const [other, setOther] = useState(b)
  const isReady = one.startsWith('run_') && other.startsWith('run_')
  return (
    <form
      className="flex flex-wrap items-end gap-3 border-line border-b px-4 pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        void navigate({ to: '/runs/compare', search: { a: one.trim(), b: other.trim() } })
      }}
    >
      <div className="w-80 max-w-full">
        <TextField label="First run" placeholder="run_…" value={one} onChange={({ target }) => setOne(target.value)} />
      </div>
      <div className="w-80 max-w-full">
        <TextField
          label="Second run"
          placeholder="run_…"
          value={other}
          onChange={({ target }) => setOther(target.value)}
        />
      </div>
      <Button type="submit" kind="primary" className="mb-3" reason={isReady ? undefined : 'Enter the ids of two runs.'}>
        Compare
      </Button>
    </form>
  )
}

const Comparison = ({ a, b }: { a: string; b: string }) => {
  const runs = [useQuery(runQuery(a)), useQuery(runQuery(b))] as const
  const steps = [useQuery(runStepsQuery(a)), useQuery(runStepsQuery(b))] as const
  const failed = [...runs, ...steps].find(({ error }) => error !== null)
  if (failed) {
    return <Problem title="The runs were not loaded" error={failed.error} onRetry={() => void failed.refetch()} />
  }
  const [one, other] = [runs[0].data, runs[1].data]
  const [oneSteps, otherSteps] = [steps[0].data, steps[1].data]
  if (!one || !other || !oneSteps || !otherSteps) return <Skeleton />
  const sides = [
    { run: one, steps: oneSteps },
    { run: other, steps: otherSteps },
  ] as const
  const differences = differencesOf(...sides)
  return <Sides sides={sides} differences={differences} />
}

type Side = { run: Run; steps: readonly RunStep[] }
type SidesProps = { sides: readonly [Side, Side]; differences: readonly Difference[] }

const Sides = ({ sides, differences }: SidesProps) => {
  const [first] = differences
  const count = Math.max(sides[0].steps.length, sides[1].steps.length)
  const stepsOf = (number: number) => differences.find((each) => each.part === 'steps' && each.number === number)
  const partOf = (part: Difference['part']) => differences.find((each) => each.part === part)
  return (
    <div className="p-4">
      <p role="status" className="mb-4">
        {first ? `They differ first in ${nameOf(first)}.` : 'Input, steps and output are the same.'}
      </p>
      <Row title="Run" sides={sides} show={({ run }) => <Summary run={run} />} />
      <Row
        title="Input"
        sides={sides}
        difference={partOf('input')}
        first={first}
        show={({ run }) => <JsonView value={run.input} />}
        pick={({ run }) => run.input}
      />
      {Array.from({ length: count }, (_, n) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place.
          key={n}
          title={`Step ${n + 1}`}
          sides={sides}
          difference={stepsOf(n + 1)}
          first={first}
          show={({ steps }) => (steps[n] ? <JsonView value={comparableStep(steps[n])} /> : <None />)}
          pick={({ steps }) => (steps[n] ? comparableStep(steps[n]) : undefined)}
        />
      ))}
      <Row
        title="Output"
        sides={sides}
        difference={partOf('output')}
        first={first}
        show={({ run }) => (run.output ? <JsonView value={run.output} /> : <None />)}
        pick={({ run }) => run.output}
      />
      {(sides[0].run.error || sides[1].run.error) && (
        <Row
          title="Error"
          sides={sides}
          difference={partOf('error')}
          first={first}
          show={({ run }) => (run.error ? <JsonView value={run.error} /> : <None />)}
          pick={({ run }) => run.error}
        />
      )}
    </div>
  )
}

const nameOf = (difference: Difference): string => {
  const path = difference.path.slice(0, 200)
  const part = difference.part === 'steps' ? `step ${difference.number}` : difference.part
  return path === '' ? part : `${part}, ${path}`
}

const None = () => <span className="text-ink-3">None</span>

const Summary = ({ run }: { run: Run }) => {
  const name = useAgentName()(run.agent_id)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Link to="/runs/$runId" params={{ runId: run.id }} className="font-mono text-accent text-xs underline">
        {shortId(run.id)}
      </Link>
      <StatusBadge status={run.status} />
      <span>
        {name} v{run.agent_version}
      </span>
      <span className="num text-ink-2">
        {duration(run.latency_ms)} · {usd(run.usage.cost_usd)}
      </span>
    </div>
  )
}

const Row = (props: {
  title: string
  sides: readonly [Side, Side]
  difference?: Difference | undefined
  first?: Difference | undefined
  show(side: Side): ReactNode
  pick?(side: Side): unknown
}) => {
  const { title, sides, difference, first, show, pick } = props
  return (
    <section aria-label={title} className="mb-4">
      <h2 className="mb-1 flex items-center gap-2 font-medium">
        {title}
        {difference && difference === first && <Badge label="First difference" tone="warn" />}
        {difference && difference !== first && <Badge label="Different" tone="plain" />}
        {difference && difference.path !== '' && (
          <code className="truncate font-mono text-ink-2 text-xs">{difference.path.slice(0, 200)}</code>
        )}
      </h2>
      <div className="grid gap-3 md:grid-cols-2">
        {sides.map((side, n) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: there are two sides, and they never move.
            key={n}
            className={`min-w-0 overflow-auto rounded-md border p-2.5 ${difference ? 'border-warn' : 'border-line'}`}
          >
            {difference && pick && difference.path !== '' && (
              <div className="mb-2 rounded bg-warn-soft p-1.5">
                <JsonView value={valueAt(pick(side), difference.path) ?? null} />
              </div>
            )}
            {show(side)}
          </div>
        ))}
      </div>
    </section>
  )
}
