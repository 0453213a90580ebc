import type { ClientModel } from './client-model.ts'
import { operationsFile, resourcesFile } from './sdk-python-resources.ts'
import { literal, note } from './sdk-python-text.ts'
import { modelsFile, paramsFile } from './sdk-python-types.ts'

const folder = 'sdks/python/src/agent_run_service/_generated'

/** The generated half of the Python SDK. */
export const pythonFiles = (model: ClientModel): Readonly<Record<string, string>> => ({
  [`${folder}/__init__.py`]: `${note}`,
  [`${folder}/version.py`]: `${note}\nVERSION = ${literal(model.version)}\n`,
  [`${folder}/models.py`]: modelsFile(model),
  [`${folder}/params.py`]: paramsFile(model),
  [`${folder}/operations.py`]: operationsFile(model),
  [`${folder}/resources.py`]: resourcesFile(model, 'sync'),
  [`${folder}/async_resources.py`]: resourcesFile(model, 'async'),
})
