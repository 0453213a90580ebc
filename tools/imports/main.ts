import { cruiseTree } from './cruise.ts'

const { broken, report, unresolved, files, imports } = await cruiseTree()

if (report) console.error(report)
for (const line of unresolved) console.error(`${line}, which does not exist`)
if (files === 0) console.error('No source file was found: a check of nothing is not a check')

const failed = broken.length > 0 || unresolved.length > 0 || files === 0
console.log(
  failed ? `import rules broken: ${broken.join(', ') || 'none'}` : `${files} files, ${imports} imports: clean`,
)
process.exitCode = failed ? 1 : 0
