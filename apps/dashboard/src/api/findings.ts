import type { RunGuardrailFrame } from '@agent-run-service/sdk'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const maxFindings = 1_000

/** What policies have found in a run that has ended. Its frames are read without the text, which may be long. */
export const findingsQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'findings'],
    queryFn: async ({ signal }): Promise<readonly RunGuardrailFrame[]> => {
      const findings: RunGuardrailFrame[] = []
      for await (const frame of client.runs.watch(id, { deltas: 'false' }, { signal })) {
        if (frame.type === 'run.guardrail') findings.push(frame)
        if (findings.length >= maxFindings) break
      }
      return findings
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
