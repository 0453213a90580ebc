import { testAccess } from './matrix.ts'

testAccess('pipelines')
