import { serverBounds } from '../bounds.ts'
import { ask } from './ask.ts'
import { describe, type Finding } from './finding.ts'

const maxMs = serverBounds.metricsAsked.ms

/** Sends an alert to an Alertmanager, so that its way to a person can be tried before a fault takes it. */
export const sendTestAlert = async (alertmanagerUrl: string): Promise<Finding> => {
  const what = 'test alert'
  const url = new URL('api/v2/alerts', alertmanagerUrl.endsWith('/') ? alertmanagerUrl : `${alertmanagerUrl}/`).href
  const alert = {
    labels: { alertname: 'ArsTestAlert', severity: 'page' },
    annotations: { summary: 'A test from ars-server doctor. Nothing is wrong' },
  }
  try {
    const { status } = await ask(url, { maxMs, json: [alert] })
    if (status >= 200 && status < 300)
      return { what, found: `sent to ${url}: somebody must get ArsTestAlert within minutes` }
    return { what, found: `${url} answered ${status}`, advice: 'Name the address of an Alertmanager.' }
  } catch (error) {
    return { what, found: `${url}: ${describe(error)}`, advice: 'Name the address of an Alertmanager.' }
  }
}
