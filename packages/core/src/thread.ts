import { serveTasks } from '@ars/platform/thread'
import { checkProblemTasks } from './guardrails/check/check-problem-task.service.ts'
import { expressionTasks } from './guardrails/expression/expression-task.service.ts'
import { contentCheckTasks } from './guardrails/guard/content-check-task.service.ts'
import { pipelineTasks } from './pipelines/pipeline-task.service.ts'
import { templateTasks } from './prompts/input-template-task.service.ts'
import { createSchemaTasks } from './schemas/index.ts'

// The program of the threads in `parts.threads`. A slice whose computations customers control adds its tasks here.
const schemas = createSchemaTasks()
serveTasks({
  ...schemas.tasks,
  ...expressionTasks(),
  ...checkProblemTasks(),
  ...contentCheckTasks(schemas.hasFaults),
  ...pipelineTasks(),
  ...templateTasks(),
})
