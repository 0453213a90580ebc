import { hostname } from 'node:os'
import type { Config } from '@ars/core/config'
import { spanAttributes, spanSchemaUrl } from '@ars/core/span'
import { ConfigError } from '@ars/platform/config'
import type { Log } from '@ars/platform/log/log'
import type { Tracing } from '@ars/platform/trace/tracing'
import { version } from './version.ts'

/** Traces to the operator's collector, by the variables of OpenTelemetry. Undefined: there is none, so that nothing is traced. */
export const startTracing = async (config: Config, role: string, log: Log): Promise<Tracing | undefined> => {
  const url = urlOf(config)
  if (url === undefined || config.otelTracesExporter === 'none' || config.otelSdkDisabled) return
  // Without a collector, the SDK is not even loaded.
  const { openTracing } = await import('@ars/platform/trace/tracing')
  const name = 'agent-run-service'
  return openTracing({
    url,
    headers: { ...config.otelExporterOtlpHeaders, ...config.otelExporterOtlpTracesHeaders },
    protocol: protocolOf(config),
    resource: {
      'service.name': name,
      'service.version': version,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'ars.role': role,
      ...config.otelResourceAttributes,
      ...(config.otelServiceName !== undefined && { 'service.name': config.otelServiceName }),
    },
    scope: { name, version, schemaUrl: spanSchemaUrl },
    sampler: { name: config.otelTracesSampler, ratio: config.otelTracesSamplerArg },
    allowed: spanAttributes,
    log,
  })
}

const urlOf = ({ otelExporterOtlpTracesEndpoint: url, otelExporterOtlpEndpoint: base }: Config): string | undefined =>
  url ?? base?.replace(/\/*$/, '/v1/traces')

const protocolOf = ({ otelExporterOtlpTracesProtocol: own, otelExporterOtlpProtocol: general }: Config) => {
  const protocol = own ?? general
  if (protocol !== 'grpc') return protocol
  const name = own === undefined ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
  throw new ConfigError(
    `${name}: traces cannot be sent over gRPC; use http/protobuf and the HTTP port of the collector, mostly 4318`,
  )
}
