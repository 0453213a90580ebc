import { Link } from '@tanstack/react-router'
import { Bot, Hand } from 'lucide-react'
import type { DraftStep } from './draft-definition.ts'
import { stepFacts } from './step-words.ts'

const maxChars = 300

/** Each step in words. */
export const StepCards = ({ steps, nameOf }: { steps: readonly DraftStep[]; nameOf(agentId: string): string }) => (
  <ul aria-label="Steps" className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,18rem),1fr))] gap-3">
    {steps.map((step, n) => (
      <li
        // biome-ignore lint/suspicious/noArrayIndexKey: while a person types, two steps can have the same key.
        key={n}
        id={`step-${step.key}`}
        tabIndex={-1}
        className="min-w-0 rounded-lg border border-line bg-surface p-3"
      >
        <h3 className="mb-1 flex items-center gap-1.5 font-medium font-mono text-xs">
          {step.question === null ? (
            <Bot aria-hidden size={14} className="shrink-0 text-ink-2" />
          ) : (
            <Hand aria-hidden size={14} className="shrink-0 text-warn" />
          )}
          <span className="min-w-0 break-all">{step.key}</span>
        </h3>
        {step.question !== null ? (
          <p className="break-words text-ink-2 [unicode-bidi:isolate]">
            Asks a person: {step.question.slice(0, maxChars) || '…'}
          </p>
        ) : (
          <p className="break-words text-ink-2">
            Runs <AgentOfStep id={step.agentId} nameOf={nameOf} />
          </p>
        )}
        <dl className="mt-1 text-xs">
          {stepFacts(step).map(([name, value]) => (
            <div key={name} className="flex gap-1.5">
              <dt className="shrink-0 text-ink-3">{name}</dt>
              <dd className="min-w-0 break-words [unicode-bidi:isolate]">{value.slice(0, maxChars)}</dd>
            </div>
          ))}
        </dl>
      </li>
    ))}
  </ul>
)

const AgentOfStep = ({ id, nameOf }: { id: string | null; nameOf(agentId: string): string }) => {
  if (id === null) return 'no agent yet'
  if (!id.startsWith('ag_')) return <code className="font-mono text-xs">{id}</code>
  return (
    <Link to="/agents/$agentId" params={{ agentId: id }} className="text-accent underline [unicode-bidi:isolate]">
      {nameOf(id)}
    </Link>
  )
}

/** Leads to the card of a step. */
export const showCard = (key: string): void => {
  const card = document.getElementById(`step-${key}`)
  card?.scrollIntoView({ block: 'nearest' })
  card?.focus({ preventScroll: true })
}
