import { testAccess } from './matrix.ts'

testAccess('batches')
