import { useQuery } from '@tanstack/react-query'
import { agentPromptQuery } from '../../api/agents.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import type { Request } from './playground-input.ts'

const settleMs = 300

/** The messages that the model would receive for the input of the form. */
export const PromptPreview = ({ request }: { request: Request }) => (
  <section aria-label="Prompt" className="mt-3">
    {request.kind === 'ready' ? (
      <Messages agentId={request.body.agent_id} input={request.body.input} />
    ) : (
      <p className="text-ink-2">{request.message}</p>
    )}
  </section>
)

const Messages = ({ agentId, input }: { agentId: string; input: Readonly<Record<string, unknown>> }) => {
  const text = useSettled(JSON.stringify(input), { ms: settleMs })
  const { data, error } = useQuery(agentPromptQuery(agentId, text))
  if (error) return <Problem title="No prompt for this input" error={error} />
  if (!data) return <Skeleton />
  return (
    <>
      <p className="mb-2 text-ink-2">The model receives these messages.</p>
      {data.messages.map(({ role, content }) => (
        <div key={role} className="mb-2 border border-line">
          <p className="border-line border-b px-2 py-1 text-ink-3 text-xs">{role}</p>
          <pre className="max-h-60 overflow-auto whitespace-pre-wrap break-words p-2 font-mono text-xs">{content}</pre>
        </div>
      ))}
    </>
  )
}
