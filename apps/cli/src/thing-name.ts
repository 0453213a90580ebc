import { cliBounds } from './bounds.ts'
import { CommandError, exitCodes } from './exit-code.ts'

type Named = { id: string; name: string }

type Kind = {
  /** The prefix of its ids. */
  prefix: string
  /** As in "No pipeline has the name …". */
  noun: string
  /** Where it is not the noun with an s. */
  nouns?: string
  /** The command that shows them. */
  list: string
}

/** A thing is named by its id, or by a name that only one of the things has. */
export const findIdByName = async (kind: Kind, given: string, things: () => AsyncIterable<Named>): Promise<string> => {
  if (new RegExp(`^${kind.prefix}_[0-9a-z]{26}$`).test(given)) return given
  const nouns = kind.nouns ?? `${kind.noun}s`
  const found: string[] = []
  for await (const { id, name } of things()) if (name === given) found.push(id)
  const [id, ...others] = found
  if (others.length > 0) {
    throw new CommandError(`Several ${nouns} have the name ${given}`, {
      advice: `Use one of their ids: ${found.slice(0, cliBounds.idsTold.count).join(', ')}`,
    })
  }
  if (id === undefined) {
    throw new CommandError(`No active ${kind.noun} has the name ${given}`, {
      advice: `List the ${nouns} with: ${kind.list}`,
      code: 'not_found',
      exitCode: exitCodes.notFound,
    })
  }
  return id
}
