// The families that an installation serves. Requests whose path cannot be read are refused in the words of the first.
import { classicFamily } from './api.ts'
import type { Family } from './family.ts'
import { goneFamily } from './gone-family.ts'
import type { Legacy } from './legacy.ts'
import { sessionFamily } from './session/family.ts'
import { addressFamily } from './v3/address-family.ts'
import { v3Family } from './v3/family.ts'

export const allFamilies: readonly Family[] = [classicFamily, v3Family, addressFamily, sessionFamily]

export const familiesOf = (legacy: Legacy): readonly Family[] =>
  legacy === 'gone' ? [v3Family, addressFamily, goneFamily, sessionFamily] : allFamilies
