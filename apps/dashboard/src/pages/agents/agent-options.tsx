type Choice = { readonly id: string; readonly name: string; readonly status: string }

/** The options of a field that chooses one of the active agents. */
export const AgentOptions = ({ agents }: { agents: readonly Choice[] }) => (
  <>
    <option value="">Choose an agent</option>
    {agents
      .filter(({ status }) => status === 'active')
      .map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
  </>
)
