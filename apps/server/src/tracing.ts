import { hostname } from 'node:os'
import type { Config } from '@ars/core/config'
import { spanAttributes, spanSchemaUrl } from '@ars/core/span'
import { systemClock } from '@ars/platform/clock'
import type { Log } from '@ars/platform/log/log'
import { createSpanExporter, type SpanExporter } from '@ars/platform/trace/span-exporter'
import { createTracer, type Tracer } from '@ars/platform/trace/tracer'
import { version } from './version.ts'

export type Tracing = { tracer: Tracer } & Pick<SpanExporter, 'counts' | 'close'>

/** Traces to the operator's collector. Undefined: there is none, so that nothing is traced. */
export const openTracing = (config: Config, role: string, log: Log): Tracing | undefined => {
  const { otlpEndpoint: endpoint, otlpHeaders: headers, traceSampleRatio: sampleRatio } = config
  if (endpoint === undefined) return
  const source = {
    resource: {
      'service.name': 'agent-run-service',
      'service.version': version,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'ars.role': role,
    },
    scope: { name: 'agent-run-service', version, schemaUrl: spanSchemaUrl },
  }
  const exporter = createSpanExporter({ endpoint, headers, source, log })
  const tracer = createTracer({ exporter, allowed: spanAttributes, sampleRatio, clock: systemClock })
  return { tracer, counts: exporter.counts, close: exporter.close }
}
