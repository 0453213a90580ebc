import { type App, sharedApp, type TenantOptions } from './app.ts'

/** A gateway with these settings beside the shared app, whose worker executes the runs. `stop` ends the gateway. */
export const sharedGateway = async (env: Record<string, string>, options: TenantOptions = {}): Promise<App> => {
  const app = await sharedApp(options)
  const { url, metricsUrl } = await app.join('gateway', env)
  return {
    ...app,
    url,
    metricsUrl,
    port: Number(new URL(url).port),
    call: (method, path, call = {}) => app.call(method, path, { url, ...call }),
  }
}
