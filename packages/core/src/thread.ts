import { serveTasks } from '@ars/platform/thread'
import { expressionTasks } from './guardrails/expression/expression-task.service.ts'
import { spanTasks } from './guardrails/guard/span-task.service.ts'
import { pipelineTasks } from './pipelines/pipeline-task.service.ts'
import { schemaTasks } from './schemas/index.ts'

// The program of the threads in `parts.threads`. A slice whose computations customers control adds its tasks here.
serveTasks({ ...schemaTasks(), ...expressionTasks(), ...spanTasks(), ...pipelineTasks() })
