import { testAccess } from './matrix.ts'

testAccess('people')
