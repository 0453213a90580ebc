import { testAccess } from './matrix.ts'

testAccess('alerts')
