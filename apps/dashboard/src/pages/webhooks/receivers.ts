import go from '../../../../../examples/receiver/receiver.go?raw'
import python from '../../../../../examples/receiver/receiver.py?raw'
import typescript from '../../../../../examples/receiver/receiver.ts?raw'
import type { CodeSample } from '../../ui/code-tabs.tsx'

/** Programs that verify and receive deliveries. They are the tested examples of the repository. */
export const receivers: readonly CodeSample[] = [
  { title: 'TypeScript', code: typescript },
  { title: 'Python', code: python },
  { title: 'Go', code: go },
]
