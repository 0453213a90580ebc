import { Link } from '@tanstack/react-router'
import { apiAddress } from '../../api/client.ts'
import { runSamples } from '../../snippets.ts'
import { buttonLook } from '../../ui/button.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/** In place of the list, as long as there is no run. */
export const FirstRun = ({ agentId }: { agentId: string | undefined }) => (
  <EmptyState
    title="No runs yet"
    action={
      <Link to="/playground" className={buttonLook('primary')}>
        Run an agent
      </Link>
    }
  >
    <p className="mb-4">A run is one task that an agent works on. Start one here, or from a program:</p>
    <CodeTabs
      label="Start a run"
      samples={runSamples({
        address: apiAddress,
        request: { agent_id: agentId ?? 'ag_…', input: { query: 'Hello' } },
      })}
    />
    <p className="mt-3">
      The program needs an API key:{' '}
      <Link to="/settings/api-keys" className="text-accent underline">
        API keys
      </Link>
    </p>
  </EmptyState>
)
