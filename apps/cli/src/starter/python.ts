import type { Starter } from './starter.ts'

const program = `import os
import sys

from agent_run_service import AgentRunService, ApiError

client = AgentRunService()  # reads ARS_API_KEY and ARS_BASE_URL

try:
    query = sys.argv[1] if len(sys.argv) > 1 else "Hello"
    run = client.runs.create(agent_id=os.environ["ARS_AGENT_ID"], input={"query": query})
    for action in run.required_actions:
        print(f"It waits for a decision: {action.message}")
    print(run.id, run.status, run.output["result"] if run.output else run.error and run.error.message)
except ApiError as error:
    sys.exit(str(error))
`

export const python: Starter = {
  title: 'Python 3.10 or newer',
  ignored: ['.venv/', '__pycache__/'],
  caVariable: 'ARS_CA_FILE',
  commands: [
    ['python3', '-m', 'venv', '.venv'],
    ['.venv/bin/python', '-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt'],
    ['.venv/bin/python', 'main.py'],
  ],
  files: ({ version, sdk }) => ({
    'main.py': program,
    'requirements.txt': `${sdk ?? `agent-run-service==${version}`}\n`,
  }),
}
