import { openTraceContext, type TraceContext } from '@ars/platform/trace/trace-context'
import type { Span, Tracer } from '@ars/platform/trace/tracer'
import { engineSpan, invokeAgentSpan, segmentSpan } from '../../span.ts'
import type { Segment, StepSignal } from '../run/segment.ts'
import type { Claim } from './segment.store.ts'

/** The spans of one invocation of the engine. */
export type SegmentTrace = {
  /** A step was claimed. The first claim opens the spans. */
  enter(segment: Segment, claim: Claim): void
  /** Where the spans of a step stand. Undefined: the run is in no trace. */
  context(): TraceContext | undefined
  /** The run fails with this code. */
  failed(code: string): void
  end(result: StepSignal | 'retried'): void
}

/** The context of the run is known with the first claim, so the spans begin there, back-dated to the invocation. */
export const openSegmentTrace = (tracer: Tracer, monotonicMs: () => number): SegmentTrace => {
  const beganMs = monotonicMs()
  let context: TraceContext | undefined
  let segmentAs: Span | undefined
  let agentAs: Span | undefined
  let error: string | undefined
  let hasEntered = false

  const open = ({ org, run, segment }: Segment, claim: Claim, stored: TraceContext): void => {
    const place = { org, run }
    if (claim.attempt === 1) tracer.record(stored, engineSpan(place), { from: claim.created_at, to: claim.started_at })
    const agoMs = monotonicMs() - beganMs
    segmentAs = tracer.start(stored, { ...segmentSpan({ ...place, segment }), agoMs })
    const agent = { id: claim.agent_id, version: claim.agent_version, kind: claim.kind }
    agentAs = segmentAs && tracer.start(segmentAs.context, invokeAgentSpan(place, agent))
    context = agentAs?.context ?? stored
  }

  return {
    enter: (segment, claim) => {
      if (hasEntered || claim.trace_context === null) return
      hasEntered = true
      const stored = openTraceContext(claim.trace_context)
      if (stored) open(segment, claim, stored)
    },
    context: () => context,
    failed: (code) => {
      error = code
    },
    end: (result) => {
      agentAs?.end({ error })
      segmentAs?.end({ attributes: { 'ars.segment.result': result }, error })
    },
  }
}
