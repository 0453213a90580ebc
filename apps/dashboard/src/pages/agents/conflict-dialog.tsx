import type { Agent } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { agentDiffQuery } from '../../api/agents.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ChangeList } from './change-list.tsx'

/** Another change came between. Nothing is lost: the edit moves to the newer version, or stays as it is. */
export const ConflictDialog = (props: {
  isOpen: boolean
  onClose(): void
  base: Agent
  newest: Agent
  /** Fields that were changed on both sides. */
  both: readonly string[]
  onMove(): void
}) => {
  const { base, newest, both } = props
  const diff = useQuery({
    ...agentDiffQuery(base.id, base.version, newest.version),
    enabled: props.isOpen && base.version !== newest.version,
  })
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      width="wide"
      title={`Version ${newest.version} came out in the meantime`}
      description={`You edit version ${base.version}. Nothing was released, and your edit is kept. This is what came between:`}
    >
      {diff.isPending && <Skeleton rows={3} />}
      {diff.error && <Problem title="The difference: not loaded" error={diff.error} />}
      {diff.data && (
        <ChangeList
          label="What came between"
          changes={diff.data.changes.map(({ path, old, new: next }) => ({ path, old, new: next }))}
        />
      )}
      {both.length > 0 && (
        <p className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
          Changed by both: {both.map((field) => field.replaceAll('_', ' ')).join(', ')}. Your value is used.
        </p>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={props.onClose}>Back to my edit</Button>
        <Button kind="primary" onClick={props.onMove}>
          Continue on version {newest.version}
        </Button>
      </div>
    </Dialog>
  )
}
