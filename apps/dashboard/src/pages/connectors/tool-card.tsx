import type { ConnectorTool } from '@agent-run-service/sdk'
import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useConnectorMutations } from '../../api/connectors.ts'
import { useActorName } from '../../api/members.ts'
import { problemOf } from '../../api/problem.ts'
import { useReason } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Diff } from '../../ui/diff.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'

const looks = {
  approved: { tone: 'good', Icon: CircleCheck },
  pending: { tone: 'plain', Icon: CircleDashed },
  changed: { tone: 'warn', Icon: TriangleAlert },
  gone: { tone: 'bad', Icon: CircleX },
} as const

/** A tool with the description that was approved. A changed one shows what its server says now, line by line. */
export const ToolCard = ({ tool }: { tool: ConnectorTool }) => {
  const [isOpen, setIsOpen] = useState(false)
  const nameOf = useActorName()
  const known = tool.approved_manifest ?? tool.manifest
  const look = looks[tool.state as keyof typeof looks] ?? { tone: 'plain' as const }
  return (
    <li className="rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="break-all font-medium font-mono text-xs">{tool.name}</h2>
        <Badge label={wordOf(words.toolStates, tool.state)} {...look} />
        {hintWords(known?.hints).map((word) => (
          <Badge key={word} label={word} tone="plain" />
        ))}
        <span className="ms-auto flex items-center gap-2">
          {tool.approved_at !== null && (
            <span className="text-ink-3 text-xs">
              approved by {nameOf(tool.approved_by)}, <Time at={tool.approved_at} />
            </span>
          )}
          <Approve tool={tool} />
        </span>
      </div>
      {tool.looks_like !== null && (
        <p className="mt-2 rounded-md bg-warn-soft px-2 py-1 text-warn">
          Its name is easily confused with the approved tool <code className="font-mono">{tool.looks_like}</code>.
        </p>
      )}
      {tool.state === 'changed' ? (
        <div className="mt-2">
          <p className="mb-1 text-ink-2">Changed since its approval: {tool.changes.join(', ')}</p>
          <Diff label={`Change of ${tool.name}`} old={tool.approved_manifest} next={tool.manifest} />
        </div>
      ) : (
        <p className="mt-1 max-w-prose whitespace-pre-wrap break-words text-ink-2 [unicode-bidi:isolate]">
          {(known?.description ?? '').slice(0, 2_000)}
        </p>
      )}
      {known && (
        <div className="mt-2">
          <Button isSmall kind="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide the arguments' : 'Show the arguments'}
          </Button>
          {isOpen && (
            <div className="mt-1 rounded-md border border-line bg-sunken p-2">
              <JsonView value={known.input_schema} name={tool.name} />
            </div>
          )}
        </div>
      )}
    </li>
  )
}

/** Approves the tool as this page shows it. If it changed again meanwhile, nothing is approved. */
const Approve = ({ tool }: { tool: ConnectorTool }) => {
  const { approve } = useConnectorMutations()
  const reason = useReason('connectors:write')
  const { hash, state } = tool
  if (hash === null || (state !== 'changed' && state !== 'pending')) return null
  const send = async () => {
    try {
      await approve.mutateAsync({ id: tool.connector_id, name: tool.name, hash })
      toast(`${tool.name} is approved`)
    } catch (error) {
      const isOld = problemOf(error).code === 'tool_changed'
      toastProblem(
        isOld ? `${tool.name} has changed again: list the tools again` : `${tool.name} was not approved`,
        error,
      )
    }
  }
  return (
    <Button isSmall kind="primary" reason={reason} isBusy={approve.isPending} onClick={() => void send()}>
      {state === 'changed' ? 'Approve again' : 'Approve'}
    </Button>
  )
}

const hintWords = (hints: NonNullable<ConnectorTool['manifest']>['hints'] | undefined): readonly string[] => {
  if (!hints) return []
  if (hints.read_only) return ['Only reads']
  return hints.destructive ? ['Can destroy'] : []
}
