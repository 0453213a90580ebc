import { testAccess } from './matrix.ts'

testAccess('connectors')
