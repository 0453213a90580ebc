import { contract } from '@ars/contract'
import { Config } from '@ars/core/config'
import { metricList } from '@ars/core/metric-list'
import { cliFiles } from './cli-operations.ts'
import { clientModel } from './client-model.ts'
import { dashboardFiles } from './dashboards.ts'
import { helmFiles } from './helm-values.ts'
import { buildDocument, type Contract } from './openapi.ts'
import { recordedExamples, withExamples } from './openapi-examples.ts'
import { printDocument } from './openapi-tidy.ts'
import { apiPage, authorityPage } from './reference-api.ts'
import { cliPage } from './reference-cli.ts'
import { configurationPage } from './reference-configuration.ts'
import { errorsPage } from './reference-errors.ts'
import { eventsPage } from './reference-events.ts'
import { metricsPage } from './reference-metrics.ts'
import { programsPage } from './reference-programs.ts'
import { sdksPage } from './reference-sdks.ts'
import { goFiles } from './sdk-go.ts'
import { pythonFiles } from './sdk-python.ts'
import { typescriptFiles } from './sdk-typescript.ts'

export const documentPath = 'packages/contract/openapi.json'

/** Every generated file, by its path in the repository. */
export const generatedFiles = (from: Contract = contract): Readonly<Record<string, string>> => {
  const document = buildDocument(from)
  const model = clientModel(from, document)
  return {
    [documentPath]: printDocument(withExamples(document, recordedExamples())),
    'docs/reference/api.md': apiPage(from),
    'docs/reference/authority.md': authorityPage(from),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/events.md': eventsPage(),
    'docs/reference/cli.md': cliPage(),
    'docs/reference/programs.md': programsPage(),
    'docs/reference/sdks.md': sdksPage(),
    'docs/reference/metrics.md': metricsPage(metricList),
    'docs/reference/configuration.md': configurationPage(Config),
    ...dashboardFiles(),
    ...helmFiles(),
    ...cliFiles(model),
    ...typescriptFiles(model),
    ...goFiles(model),
    ...pythonFiles(model),
  }
}
