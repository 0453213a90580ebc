/** Fast tests with a process for themselves: they list all statements, or replace timers or the certificates of Node. */
export const apart: readonly string[] = [
  'apps/server/src/gateway/listen/transfer-rate.test.ts',
  'apps/server/test/heartbeats.test.ts',
  'packages/platform/src/egress/tls.test.ts',
  'packages/platform/src/work/loop.test.ts',
  'proof/schema/statements.test.ts',
  'sdks/typescript/test/client.test.ts',
]
