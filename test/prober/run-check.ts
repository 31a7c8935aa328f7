// A single check with default options, for tests that give only some of the options.
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import type { CheckContext, CheckOutcome } from '../../services/prober/checks/checker.ts'
import { checkOf } from '../../services/prober/checks/registry.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'

type Needed = 'clock' | 'resolve' | 'userAgent'
export type CheckOptions = Pick<CheckContext, Needed> & Partial<Omit<CheckContext, Needed>>

/** Resolves with the outcome of one check, as the prober would report it. */
export function runCheck(entry: CheckEntry & Readonly<Record<string, unknown>>, options: CheckOptions): Promise<CheckOutcome> {
  const context = { trust: createTrust(), egress: createEgress(), bounds: limits.check, ...options }
  return new Promise(done => checkOf(entry, context, done).start())
}
