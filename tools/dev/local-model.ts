/** Where Ollama, llama.cpp, vLLM and LM Studio listen unless they are told another port. */
const usualAddresses = [11434, 8080, 8000, 1234].map((port) => `http://127.0.0.1:${port}/v1`)

const timeoutMs = 500

type LocalModel = { url: string; models: string[] }

/**
 * The address of a model server on this computer, with the names of its models; null: none answers as one.
 * ARS_LOCAL_MODEL_URL decides instead, also if it is empty.
 */
export const findLocalModel = async (
  addresses: readonly string[] = process.env.ARS_LOCAL_MODEL_URL === undefined ? usualAddresses : [],
): Promise<LocalModel | null> => {
  const found = await Promise.all(addresses.map(async (url) => ({ url, models: await modelsAt(url) })))
  const [first] = found.flatMap(({ url, models }) => (models && models.length > 0 ? [{ url, models }] : []))
  return first ?? null
}

const keyVariables = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY']

/** Which models answer, for the line of the server. */
export const describeModels = (file: string | undefined, local: LocalModel | null): string => {
  const url = process.env.ARS_LOCAL_MODEL_URL || local?.url
  const found = [
    ...(file === undefined ? [] : [`models of ${file}`]),
    ...keyVariables.filter((name) => process.env[name]?.trim()).map((name) => `models of the key in ${name}`),
    ...(url ? [`models of ${url}${local ? ` (${local.models.slice(0, 3).join(', ')})` : ''}`] : []),
  ]
  return found.length > 0 ? found.join(', ') : 'simulated models only'
}

/** Other programs use these ports too, so only the form of an OpenAI list counts. */
const modelsAt = async (url: string): Promise<string[] | null> => {
  try {
    const response = await fetch(`${url}/models`, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
    const { data } = (await response.json()) as { data?: unknown }
    if (!response.ok || !Array.isArray(data)) return null
    return data.flatMap((each: { id?: unknown } | null) => (typeof each?.id === 'string' ? [each.id] : []))
  } catch {
    return null
  }
}
