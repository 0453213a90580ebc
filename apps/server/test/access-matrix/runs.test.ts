import { testAccess } from './matrix.ts'

testAccess('runs')
