import { z } from 'zod'
import { DeploymentRule, DeploymentStatus } from './deployment.ts'
import { DeploymentId } from './ids.ts'
import { limits } from './limits.ts'

const MetricEstimate = z
  .object({
    runs: z.int().meta({ description: 'The ended runs that have this figure.' }),
    value: z.number().meta({ description: 'The observed value.' }),
    at_least: z.number().meta({ description: 'The true value is not below this, with 99 % confidence.' }),
    at_most: z
      .number()
      .nullable()
      .meta({ description: 'The true value is not above this, with 99 % confidence; null: too few runs to say.' }),
  })
  .meta({ id: 'MetricEstimate', description: 'A figure of one side of a canary, with its bounds.' })

export type MetricEstimate = z.infer<typeof MetricEstimate>

const estimate = (what: string) => MetricEstimate.nullable().meta({ description: `${what}; null without runs.` })

const DeploymentSide = z
  .object({
    deployment_id: DeploymentId,
    version: z.int().meta({ description: 'The version of the agent.' }),
    runs: z.int().meta({
      description: `The ended runs of the window, the newest ${limits.rollbackMinRunsMax} at most. Cancelled runs are not counted.`,
    }),
    failure_rate: estimate('Failed runs divided by ended runs, with Wilson bounds'),
    latency_p50_ms: z.number().nullable().meta({ description: 'The median latency; null without runs.' }),
    latency_p95_ms: estimate('The 95th percentile of the latency, without the time spent waiting for people'),
    cost_per_run_usd: estimate('The mean cost of a run whose cost is known'),
  })
  .meta({ id: 'DeploymentSide', description: 'The figures of one version in the window of the comparison.' })

const RuleComparison = z
  .object({
    ...DeploymentRule.shape,
    canary: estimate('The metric of the canary in the window of the rule'),
    running: estimate('The metric of the running version in the window of the rule'),
    runs_needed: z
      .int()
      .meta({ description: 'How many runs of the canary must still end before the rule is evaluated.' }),
    is_broken: z.boolean().meta({
      description:
        'True: `canary.at_least` is above the threshold and `canary.value` is worse than `running.value`, so a canary is rolled back.',
    }),
  })
  .meta({ id: 'RuleComparison', description: 'A rollback rule and the figures by which it is evaluated.' })

const SeriesSide = z
  .object({
    runs: z.int().meta({ description: 'Ended runs that were created in this interval.' }),
    failures: z.int().meta({ description: 'Those of them that failed.' }),
    latency_p95_ms: z
      .number()
      .nullable()
      .meta({ description: 'The 95th percentile of their latency; null without runs.' }),
    cost_per_run_usd: z.number().nullable().meta({ description: 'Their mean cost; null if it is not known.' }),
  })
  .meta({ id: 'ComparisonSeriesSide' })

const seriesSide = (whose: string) => SeriesSide.meta({ description: `The ${whose} in this interval.` })

export const DeploymentComparison = z
  .object({
    object: z.literal('deployment_comparison'),
    deployment_id: DeploymentId,
    status: DeploymentStatus,
    until: z.iso.datetime().meta({
      description: 'The end of the window: now for a canary; else when it was promoted or rolled back.',
    }),
    window_seconds: z.int().meta({
      description:
        'Runs that were created within this time before `until` are compared: the longest window of the rules, 3,600 without rules.',
    }),
    canary: DeploymentSide,
    running: DeploymentSide.nullable().meta({
      description:
        'The version that was active when the deployment was created; null for the first deployment of an agent.',
    }),
    rules: z.array(RuleComparison).meta({ description: 'The rollback rules, in their order.' }),
    bucket_seconds: z.int().meta({ description: 'The length of an interval of `series`.' }),
    series: z
      .array(
        z
          .object({
            started_at: z.iso.datetime().meta({ description: 'The begin of the interval.' }),
            canary: seriesSide('canary'),
            running: seriesSide('running version'),
          })
          .meta({ id: 'ComparisonInterval' }),
      )
      .meta({
        description: `The window in intervals, oldest first, ${limits.comparisonIntervals} at most. An interval without an ended run is left out.`,
      }),
  })
  .meta({ id: 'DeploymentComparison', description: 'A canary beside the running version.' })

export type DeploymentComparison = z.infer<typeof DeploymentComparison>
