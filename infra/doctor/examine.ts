// All checks on the facts of an installation. Every sentence passes through a filter that takes the secrets of the settings out.
import type { Facts } from './facts.ts'
import type { Finding } from './finding.ts'
import { checks } from './registry.ts'
import { secretsOf } from './secrets-of.ts'

export interface NamedFinding extends Finding {
  check: string
}

const order = ['fault', 'warning', 'unknown', 'well'] as const

/** Returns the findings of all checks, the worst first, without a secret of `environment`. */
export function examine(facts: Facts, environment: Record<string, string | undefined>): NamedFinding[] {
  const secrets = secretsOf(environment)
  const clean = (sentence: string) => secrets.reduce((text, secret) => text.replaceAll(secret, '…'), sentence)
  const findings = Object.entries(checks).flatMap(([check, run]) =>
    run(facts).map(({ standing, what, why, remedy }) => {
      return { check, standing, what: clean(what), why: clean(why), remedy: clean(remedy) }
    }),
  )
  return findings.toSorted((one, other) => order.indexOf(one.standing) - order.indexOf(other.standing))
}
