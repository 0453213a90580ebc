import type { PipelineStep } from '@agent-run-service/sdk'
import {
  Ban,
  Bot,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  Hand,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react'
import { useMemo } from 'react'
import { flowWords } from '../../ui/flow-words.ts'
import { wordOf } from '../../ui/words.ts'
import type { DraftStep } from './draft-definition.ts'
import { graphSize, layOut } from './step-graph.ts'
import { itemWords } from './step-words.ts'

const plain = { ground: 'border-line-strong bg-surface', ink: 'text-ink-2' } as const
type Look = { Icon: LucideIcon; ground: string; ink: string; isTurning?: boolean }
const unknown: Look = { Icon: CircleDashed, ...plain }
const asks: Look = { Icon: Hand, ground: 'border-warn bg-warn-soft', ink: 'text-warn' }
const looks: Readonly<Record<string, Look>> = {
  pending: { Icon: CircleDashed, ...plain },
  running: { Icon: LoaderCircle, ground: 'border-run bg-run-soft', ink: 'text-run', isTurning: true },
  completed: { Icon: CircleCheck, ground: 'border-good bg-good-soft', ink: 'text-good' },
  failed: { Icon: CircleX, ground: 'border-bad bg-bad-soft', ink: 'text-bad' },
  skipped: { Icon: CircleSlash, ground: 'border-line-strong border-dashed bg-sunken', ink: 'text-ink-2' },
  cancelled: { Icon: Ban, ground: 'border-line-strong bg-sunken', ink: 'text-ink-2' },
  /** Before a run: what the step is. */
  agent: { Icon: Bot, ...plain },
  approval: { Icon: Hand, ...plain },
}

/**
 * The steps in layers by their dependencies. Each step is a button in a list, so that the graph can be read and walked without
 * seeing it; the lines are drawn beside them.
 */
export const StepGraphView = (props: {
  steps: readonly DraftStep[]
  /** The name of an agent. */
  nameOf(agentId: string): string
  /** How far a pipeline run is, by key. */
  states?: ReadonlyMap<string, PipelineStep> | undefined
  /** The steps that wait for a person. */
  asking?: ReadonlySet<string> | undefined
  selected?: string | undefined
  onSelect(key: string): void
}) => {
  const { steps, states, selected } = props
  const graph = useMemo(() => layOut(steps), [steps])
  const byKey = useMemo(() => new Map(steps.toReversed().map((step) => [step.key, step])), [steps])
  if (graph.nodes.length === 0) return <p className="text-ink-2">There are no steps yet.</p>
  return (
    <div className="max-h-[36rem] overflow-auto rounded-lg border border-line bg-canvas">
      <div className="relative mx-auto" style={{ width: graph.width, height: graph.height }}>
        <svg aria-hidden="true" width={graph.width} height={graph.height} className="absolute inset-0 text-line-strong">
          {graph.edges.map(({ from, to, path }) => (
            <path
              key={`${from} ${to}`}
              d={path}
              fill="none"
              stroke="currentColor"
              strokeWidth={selected === from || selected === to ? 2.5 : 1.25}
            />
          ))}
        </svg>
        <ol aria-label="Graph of the steps">
          {graph.nodes.map(({ key, x, y }) => {
            const step = byKey.get(key)
            return (
              <li key={key} className="absolute" style={{ left: x, top: y, width: graphSize.nodeWidth }}>
                {step && (
                  <StepNode
                    step={step}
                    state={states?.get(key)}
                    isAsking={props.asking?.has(key) === true}
                    isSelected={selected === key}
                    nameOf={props.nameOf}
                    onSelect={() => props.onSelect(key)}
                  />
                )}
              </li>
            )
          })}
        </ol>
      </div>
    </div>
  )
}

const StepNode = (props: {
  step: DraftStep
  state: PipelineStep | undefined
  isAsking: boolean
  isSelected: boolean
  nameOf(agentId: string): string
  onSelect(): void
}) => {
  const { step, state, isAsking } = props
  const kind = step.question === null ? 'agent' : 'approval'
  const { Icon, ground, ink, isTurning } = isAsking ? asks : (looks[state?.status ?? kind] ?? unknown)
  return (
    <button
      type="button"
      aria-current={props.isSelected ? 'step' : undefined}
      onClick={props.onSelect}
      style={{ height: graphSize.nodeHeight }}
      className={`flex w-full flex-col justify-center gap-0.5 rounded-lg border px-2.5 text-start hover:brightness-95 aria-[current=step]:ring-2 aria-[current=step]:ring-accent ${ground}`}
    >
      <span className="flex w-full items-center gap-1.5">
        <Icon aria-hidden size={14} className={`shrink-0 ${ink} ${isTurning ? 'animate-spin' : ''}`} />
        <span className="min-w-0 truncate font-medium font-mono text-xs">{step.key}</span>
        {step.forEach !== null && <span className="ms-auto shrink-0 text-2xs text-ink-2">for each</span>}
      </span>
      <span className="w-full truncate text-ink-2 text-xs">
        {state ? stateWords(state, isAsking) : kindWords(step, props.nameOf)}
      </span>
      {step.dependsOn.length > 0 && <span className="sr-only">after {step.dependsOn.join(', ')}</span>}
    </button>
  )
}

const stateWords = ({ status, items }: PipelineStep, isAsking: boolean): string =>
  [isAsking ? 'Needs a decision' : wordOf(flowWords.steps, status), itemWords(items)].filter(Boolean).join(', ')

const kindWords = ({ question, agentId }: DraftStep, nameOf: (agentId: string) => string): string => {
  if (question !== null) return 'Approval'
  return agentId === null ? 'No agent yet' : nameOf(agentId)
}
