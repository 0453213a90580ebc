// The health check of the image: is this process ready? Ends with 0 or 1.
// biome-ignore lint/style/noProcessEnv: it runs beside the service and parses no other setting.
const url = `http://127.0.0.1:${process.env.ARS_METRICS_PORT || 9464}/readyz`
// biome-ignore lint/style/noRestrictedGlobals: the address is that of its container.
const isReady = await fetch(url).then(
  ({ ok }) => ok,
  () => false,
)
process.exit(isReady ? 0 : 1)
