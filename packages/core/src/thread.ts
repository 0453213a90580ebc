import { serveTasks } from '@ars/platform/thread'
import { schemaTasks } from './schemas/index.ts'

// The program of the threads in `parts.threads`. A slice whose computations customers control adds its tasks here.
serveTasks({ ...schemaTasks() })
