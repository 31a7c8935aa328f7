// A single check with default options, for tests that give only some of the options.
import type { HttpEntry } from '#shared/checks/http/http.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { Check, type CheckContext, type CheckOutcome, impossible } from '../../services/prober/check.ts'
import { createTrust } from '../../services/prober/connection.ts'
import { compileTarget } from '../../services/prober/target.ts'

export interface CheckOptions extends Pick<CheckContext, 'clock' | 'resolve'>, Partial<Omit<CheckContext, 'clock' | 'resolve'>> {
  userAgent: string
}

/** Resolves with the outcome of one check, as the prober would report it. */
export function runCheck(entry: HttpEntry, options: CheckOptions): Promise<CheckOutcome> {
  const target = compileTarget(entry, options.userAgent)
  if (target === null) return Promise.resolve(impossible)
  const context = { trust: createTrust(), egress: createEgress(), bounds: limits.check, ...options }
  return new Promise(done => void new Check(target, context, done).start())
}
