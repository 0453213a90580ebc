import { type Agent, type Deployment, type DeploymentComparison, limits } from '@agent-run-service/sdk'
import { useState } from 'react'
import { useDeploymentMutations } from '../../api/deployments.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { reasonText } from './comparison.ts'
import { Share } from './rollout-form.tsx'

type Act = 'promote' | 'share' | 'rollback'

/** Promote, Change share, Roll back. */
export const ReleaseActions = (props: {
  agent: Agent
  deployment: Deployment
  comparison: DeploymentComparison | undefined
}) => {
  const { agent, deployment, comparison } = props
  const [act, setAct] = useState<Act | null>(null)
  const permission = useReason('agents:write')
  const reason = agent.status === 'archived' ? 'Unarchive the agent first.' : permission
  const isCanary = deployment.status === 'canary'
  const isOpen = isCanary || deployment.status === 'active'
  const first = deployment.previous_deployment_id === null ? 'There is no earlier version.' : undefined
  const close = () => setAct(null)
  if (!isOpen) return null
  return (
    <>
      {isCanary && (
        <>
          <Button kind="primary" reason={reason} onClick={() => setAct('promote')}>
            Promote
          </Button>
          <Button reason={reason} onClick={() => setAct('share')}>
            Change share
          </Button>
        </>
      )}
      <Button kind="danger" reason={reason ?? (isCanary ? undefined : first)} onClick={() => setAct('rollback')}>
        Roll back
      </Button>
      {act === 'promote' && <PromoteDialog deployment={deployment} onClose={close} />}
      {act === 'share' && <ShareDialog deployment={deployment} onClose={close} />}
      {act === 'rollback' && <RollBackDialog deployment={deployment} comparison={comparison} onClose={close} />}
    </>
  )
}

type DialogProps = { deployment: Deployment; onClose(): void }

/** Keeps the dialog open with the error if the call fails. */
const useAct = (call: () => Promise<unknown>, done: { onClose(): void; said: string }) => {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const run = async () => {
    setIsBusy(true)
    setError(null)
    try {
      await call()
      toast(done.said)
      done.onClose()
    } catch (caught) {
      setError(caught)
      setIsBusy(false)
    }
  }
  return { error, isBusy, run: () => void run() }
}

const PromoteDialog = ({ deployment, onClose }: DialogProps) => {
  const { promote } = useDeploymentMutations()
  const said = `Version ${deployment.version} gets all new runs`
  const { error, isBusy, run } = useAct(() => promote.mutateAsync(deployment.id), { onClose, said })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Promote version ${deployment.version}?`}
      description="All new runs use it. Active runs finish on their version."
    >
      {error !== null && <Problem title="Not promoted" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={isBusy} onClick={run}>
          Promote
        </Button>
      </div>
    </Dialog>
  )
}

const ShareDialog = ({ deployment, onClose }: DialogProps) => {
  const [share, setShare] = useState(String(deployment.traffic_percent))
  const { changeShare } = useDeploymentMutations()
  const percent = Number(share)
  const isGood = Number.isInteger(percent) && percent >= 1 && percent <= 99
  const { error, isBusy, run } = useAct(() => changeShare.mutateAsync({ id: deployment.id, percent }), {
    onClose,
    said: `Version ${deployment.version} gets ${percent} % of new runs`,
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Share of version ${deployment.version}`}>
      <Share value={share} error={isGood ? undefined : 'A whole number from 1 to 99.'} onChange={setShare} />
      {error !== null && <Problem title="Not changed" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={isBusy} reason={isGood ? undefined : 'Give a share from 1 to 99.'} onClick={run}>
          Change share
        </Button>
      </div>
    </Dialog>
  )
}

const RollBackDialog = ({
  deployment,
  comparison,
  onClose,
}: DialogProps & { comparison: DeploymentComparison | undefined }) => {
  const [reason, setReason] = useState(() => (comparison ? reasonText(comparison) : ''))
  const { rollBack } = useDeploymentMutations()
  const { error, isBusy, run } = useAct(() => rollBack.mutateAsync({ id: deployment.id, reason: reason.trim() }), {
    onClose,
    said: `Version ${deployment.version} was rolled back`,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Roll back version ${deployment.version}?`}
      description={
        deployment.status === 'canary'
          ? 'All new runs use the running version again. Active runs finish on their version.'
          : 'The version before it is released again. Active runs finish on their version.'
      }
    >
      <TextArea
        label="Reason"
        isRequired
        rows={4}
        maxLength={limits.commentChars}
        help="It is recorded and sent with the event."
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      {error !== null && <Problem title="Not rolled back" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep</Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          reason={reason.trim() === '' ? 'Give a reason first.' : undefined}
          onClick={run}
        >
          Roll back
        </Button>
      </div>
    </Dialog>
  )
}
