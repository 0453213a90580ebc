import { testAccess } from './matrix.ts'

testAccess('keys')
