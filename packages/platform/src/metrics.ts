import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Meter } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics'

export type MetricsExporter = {
  meter: Meter
  /** Returns the metrics in the Prometheus text format. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>
  close(): Promise<void>
}

/**
 * The value of a gauge whose source could not be read. The exporter leaves it out: it would repeat the last value of a gauge
 * that is not observed, and a dead database would look like a quiet one.
 */
export const unreadable = Number.NaN

const withoutUnreadable = (text: string): string => text.replaceAll(/^.* NaN\n/gm, '')

// In seconds, from a cached read to the longest wait of a caller.
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

export const createMetricsExporter = (): MetricsExporter => {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const serializer = new PrometheusSerializer('', false, undefined, true, true)
  const provider = new MeterProvider({
    readers: [exporter],
    views: [
      {
        instrumentUnit: 's',
        aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: durationBuckets } },
      },
    ],
  })
  const meter = provider.getMeter('ars')
  return {
    meter,
    serve: async (_request, response) => {
      const { resourceMetrics } = await exporter.collect()
      response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
      response.end(withoutUnreadable(serializer.serialize(resourceMetrics)))
    },
    close: () => provider.shutdown(),
  }
}
