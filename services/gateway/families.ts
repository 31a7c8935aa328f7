// The families that an installation serves. Generations 1 and 2 come first: requests whose path cannot be read are refused in their words.
import { classicFamily } from './api.ts'
import type { Family } from './family.ts'
import { sessionFamily } from './session/family.ts'
import { addressFamily } from './v3/address-family.ts'
import { v3Family } from './v3/family.ts'

export const allFamilies: readonly Family[] = [classicFamily, v3Family, addressFamily, sessionFamily]
