import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { platformBounds } from '../bounds.ts'
import { systemClock } from '../clock.ts'
import { createSpanExport, type ExportOptions, type SpanExport } from './span-export.ts'
import { createTracer, type Tracer } from './tracer.ts'

export type Tracing = { readonly tracer: Tracer } & Pick<SpanExport, 'counts' | 'close'>

/** The samplers of OpenTelemetry. Those with `parentbased_` follow the caller’s decision if there is one. */
type Root = 'always_on' | 'always_off' | 'traceidratio'
type SamplerName = Root | `parentbased_${Root}`

type Options = ExportOptions & {
  /** What all spans of the process share. */
  readonly resource: Readonly<Record<string, string>>
  readonly scope: { readonly name: string; readonly version: string; readonly schemaUrl: string }
  readonly sampler: { readonly name: SamplerName; readonly ratio: number }
  /** The attributes that may leave the process. */
  readonly allowed: ReadonlySet<string>
}

export const openTracing = ({ resource, scope, sampler, allowed, ...target }: Options): Tracing => {
  const { processor, counts, close } = createSpanExport(target)
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource, { schemaUrl: scope.schemaUrl }),
    sampler: samplerOf(sampler.name, sampler.ratio),
    spanLimits: { attributeValueLengthLimit: platformBounds.spanText.chars },
    spanProcessors: [processor],
  })
  const sdk = provider.getTracer(scope.name, scope.version, { schemaUrl: scope.schemaUrl })
  return { tracer: createTracer({ sdk, allowed, clock: systemClock }), counts, close }
}

const samplerOf = (name: SamplerName, ratio: number): Sampler => {
  const root = name.replace('parentbased_', '') as Root
  const sampler = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]()
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root: sampler }) : sampler
}
