import { createStack } from '../dev/stack.ts'
const stack = createStack({ dir: '/tmp/lists/stack', base: 21500, postgresSettings: { fsync: 'off', shared_buffers: '1GB', max_wal_size: '8GB' } })
await stack.postgres.start()
console.log(await stack.command(['migrate']))
console.log(stack.postgres.superuserUrl('ars'))
console.log(stack.postgres.url('ars_app'))
setInterval(() => {}, 1000)
