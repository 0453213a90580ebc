/** What the settings of an engine depend on. */
export type EngineSettings = {
  dataDir: string
  /** The private key with which it signs its requests to workers. */
  identityFile: string
  bindIp: string
  ports: { ingress: number; admin: number; node: number }
  /** Fixed for ever at the first start on this data. */
  partitions: number
  /** How many invocations each partition executes at the same time; not below `ARS_CELL_SLOTS`. */
  concurrentInvocations: number
}

/** `restate.toml` of a single node, as the service needs it. */
export const restateSettings = (options: EngineSettings): string => {
  const { dataDir, identityFile, bindIp, ports, partitions, concurrentInvocations } = options
  return `cluster-name = "ars"
node-name = "ars-1"
base-dir = "${dataDir}"
auto-provision = true
default-num-partitions = ${partitions}
listen-mode = "tcp"
bind-ip = "${bindIp}"
bind-port = ${ports.node}
advertised-address = "http://127.0.0.1:${ports.node}/"
disable-telemetry = true
# The look for a newer release fails without the internet, which is no matter for a log.
log-filter = "warn,octocrab=off"
log-format = "compact"
log-disable-ansi-codes = true
rocksdb-total-memory-size = "256MiB"
shutdown-timeout = "10s"

# The default gives up after 70 attempts and pauses the run.
[default-retry-policy]
initial-interval = "200ms"
max-interval = "5s"
max-attempts = "unlimited"

# Unflushed data is replayed at the next start. With the default budget that took 50 s after three minutes of work,
# and for so long no run moved; with this one, 3 s.
[worker.storage]
rocksdb-memory-budget = "8MiB"

[worker.invoker]
# The default notices a frozen worker after a minute.
http2-keep-alive-interval = "5s"
http2-keep-alive-timeout = "5s"
# Few per connection, so that work spreads over the workers behind one address.
http2-streams-per-connection-limit = 16
# Per partition, and above the number of slots: the slots alone decide how many runs execute.
concurrent-invocations-limit = ${concurrentInvocations}
request-identity-private-key-pem-file = "${identityFile}"

[admin]
bind-port = ${ports.admin}
disable-web-ui = true

[ingress]
bind-port = ${ports.ingress}
`
}
