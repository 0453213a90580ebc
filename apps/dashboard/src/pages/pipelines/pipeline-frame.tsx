import type { Pipeline } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { pipelineQuery, usePipelineChanges } from '../../api/pipelines.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { StartDialog } from './start-dialog.tsx'

/** Header, actions and tabs of the pages of one pipeline. */
export const PipelineFrame = (props: {
  pipelineId: string
  /** The tab in the title of the browser's tab. */
  part?: string
  children(pipeline: Pipeline): ReactNode
}) => {
  const pipeline = useQuery(pipelineQuery(props.pipelineId))
  if (pipeline.isPending) return <Skeleton />
  if (!pipeline.data) {
    return (
      <MissingState
        what="Pipeline"
        id={props.pipelineId}
        error={pipeline.error}
        onRetry={() => void pipeline.refetch()}
      />
    )
  }
  return (
    <>
      <PipelineHead pipeline={pipeline.data} part={props.part} />
      {props.children(pipeline.data)}
    </>
  )
}

const archivedReason = 'The pipeline is archived. Unarchive it first.'

/** Why a person cannot change the pipeline; undefined if they can. */
export const usePipelineReason = ({ status }: Pipeline): string | undefined => {
  const reason = useReason('pipelines:write')
  return reason ?? (status === 'archived' ? archivedReason : undefined)
}

const PipelineHead = ({ pipeline, part }: { pipeline: Pipeline; part: string | undefined }) => {
  const navigate = useNavigate()
  const mayNotChange = usePipelineReason(pipeline)
  const mayNotWrite = useReason('pipelines:write')
  const mayNotRun = useReason('runs:write')
  const { archive, unarchive } = usePipelineChanges()
  const [dialog, setDialog] = useState<'archive' | 'start' | null>(null)
  const isArchived = pipeline.status === 'archived'
  const params = { pipelineId: pipeline.id }
  const bringBack = async () => {
    try {
      await unarchive(pipeline.id)
      toast('The pipeline is active again.')
    } catch (error) {
      toastProblem('Unarchive: failed', error)
    }
  }
  return (
    <>
      <PageHeader
        title={<span className="[unicode-bidi:isolate]">{pipeline.name}</span>}
        tabTitle={part === undefined ? pipeline.name : `${pipeline.name}: ${part}`}
        trail={
          <Link to="/pipelines" className="hover:underline">
            Pipelines
          </Link>
        }
        aside={<FlowBadge status={pipeline.status} words={flowWords.pipelineStatuses} />}
      >
        {part !== 'Edit' && (
          <>
            <Button reason={mayNotChange} onClick={() => void navigate({ to: '/pipelines/$pipelineId/edit', params })}>
              Edit
            </Button>
            <Button
              kind="primary"
              reason={mayNotRun ?? (isArchived ? archivedReason : undefined)}
              onClick={() => setDialog('start')}
            >
              <Play aria-hidden size={13} /> Start run
            </Button>
          </>
        )}
        <Menu
          label="More actions"
          items={[
            isArchived
              ? { label: 'Unarchive', reason: mayNotWrite, onSelect: () => void bringBack() }
              : { label: 'Archive', isDanger: true, reason: mayNotWrite, onSelect: () => setDialog('archive') },
          ]}
        />
      </PageHeader>
      <Tabs
        label="Pipeline"
        tabs={[
          { label: 'Overview', to: '/pipelines/$pipelineId', params },
          { label: 'Versions', to: '/pipelines/$pipelineId/versions', params },
        ]}
      />
      {isArchived && (
        <Banner tone="info">
          Archived <Time at={pipeline.archived_at} />. It accepts no runs and no changes.
        </Banner>
      )}
      <StartDialog pipeline={pipeline} isOpen={dialog === 'start'} onClose={() => setDialog(null)} />
      <ConfirmDialog
        isOpen={dialog === 'archive'}
        onClose={() => setDialog(null)}
        title={`Archive ${pipeline.name}?`}
        description="It accepts no new runs and no changes. Active pipeline runs finish. You can unarchive it later."
        verb="Archive pipeline"
        onConfirm={async () => {
          await archive(pipeline.id)
          toast('The pipeline is archived.')
        }}
      />
    </>
  )
}
