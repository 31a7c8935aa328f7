// Families of routes that an installation serves. A request whose path cannot be read belongs to no family: it gets a refusal in the
// dialect of the first family.

import { acknowledgeFamily } from '../acknowledge/family.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import { pingFamily } from '../pings/ping-family.ts'
import { pingDefaults } from '../pings/ping-options.ts'
import { pushFamily } from '../pings/push-family.ts'
import { sessionV2Family } from '../session/caller/generations.ts'
import { sessionFamily } from '../session/family.ts'
import { v3Family } from '../v3/family.ts'
import { addressFamily } from '../v3/observations/address-family.ts'
import { classicFamily } from './api.ts'
import type { Family } from './family.ts'
import { goneFamily } from './gone-family.ts'

const ofGeneration3 = [v3Family, addressFamily, acknowledgeFamily]
const ofSessions = [sessionFamily, sessionV2Family]

/** Families with the usual settings. */
export const allFamilies: readonly Family[] = [classicFamily, ...ofGeneration3, ...ofSessions, pingFamily(pingDefaults)]

export function familiesOf({ legacy, pings = pingDefaults }: Pick<GatewayOptions, 'legacy' | 'pings'>): readonly Family[] {
  const ofPings = [pingFamily(pings), ...(pings.kumaPush ? [pushFamily] : [])]
  return legacy === 'gone'
    ? [...ofGeneration3, goneFamily, ...ofSessions, ...ofPings]
    : [classicFamily, ...ofGeneration3, ...ofSessions, ...ofPings]
}
