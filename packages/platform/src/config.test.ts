import { expect, test } from 'vitest'
import { z } from 'zod'
import { ConfigError, parseConfig } from './config.ts'

const Settings = z.object({ workerPort: z.coerce.number().int().default(9080) })

const faultOf = (env: Record<string, string>): string => {
  try {
    parseConfig(Settings, env)
    return ''
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

test('variables that Kubernetes adds for the Services of a release named ars are ignored', () => {
  const links = {
    ARS_GATEWAY_SERVICE_HOST: '10.96.1.3',
    ARS_GATEWAY_SERVICE_PORT: '443',
    ARS_GATEWAY_SERVICE_PORT_HTTPS: '443',
    ARS_GATEWAY_PORT: 'tcp://10.96.1.3:443',
    ARS_GATEWAY_PORT_443_TCP: 'tcp://10.96.1.3:443',
    ARS_GATEWAY_PORT_443_TCP_PROTO: 'tcp',
    ARS_GATEWAY_PORT_443_TCP_PORT: '443',
    ARS_GATEWAY_PORT_443_TCP_ADDR: '10.96.1.3',
    ARS_WORKER_PORT_9080_TCP_ADDR: '10.96.1.4',
  }
  expect(parseConfig(Settings, { ...links, ARS_WORKER_PORT: '9081' })).toEqual({ workerPort: 9081 })
})

test('a setting that Kubernetes has overwritten is refused with the cause', () => {
  expect(faultOf({ ARS_WORKER_PORT: 'tcp://10.96.1.4:9080' })).toBe(
    'ARS_WORKER_PORT: holds an address that Kubernetes has set for a Service named ars-worker; set enableServiceLinks: false for the pod',
  )
})

test('other unknown variables are still refused', () => {
  expect(faultOf({ ARS_WORKER_PROT: '1', ARS_SERVICE: 'x', ARS_GATEWAY_PORT: '443' })).toBe(
    'ARS_WORKER_PROT is not a known setting\nARS_SERVICE is not a known setting\nARS_GATEWAY_PORT is not a known setting',
  )
})
