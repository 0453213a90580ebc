import { testAccess } from './matrix.ts'

testAccess('pipeline-runs')
