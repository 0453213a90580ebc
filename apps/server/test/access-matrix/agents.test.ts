import { testAccess } from './matrix.ts'

testAccess('agents')
