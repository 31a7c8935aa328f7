// Raise of an installation's level (shared/store/level.ts): the request over the bus, its response, and the key that tells of it.
import { type Static, Type } from 'typebox'

export const FinishUpgradeRequest = Type.Object({})

/** `was`: level before the request; equal to `number`: there was nothing to raise. */
export const LevelRaised = Type.Object({ was: Type.Integer(), number: Type.Integer() })
export type LevelRaised = Static<typeof LevelRaised>

export const LevelEntry = Type.Object({ number: Type.Integer({ minimum: 1 }) })
