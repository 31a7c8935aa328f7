// Expected refusal of a command to a generated subject, with the message of the refusal (reference/custom-subjects 2.8, 3.12, 4.11 and
// 5.6).
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import { type NaiveWorld, policyAt } from '../../judging/naive.ts'
import type { Life } from '../../keeper/telling-oracle.ts'

interface Facts {
  world: NaiveWorld
  life: Life
  /** Deleted signals. */
  gone: ReadonlySet<string>
}

/** Returns the message of the refusal; null: the command is carried out. Does not cover acknowledgements. */
export function expectedRefusal(facts: Facts, command: Record<string, unknown>, at: number): string | null {
  switch (command['kind']) {
    case 'report-observation':
      return facts.gone.has(command['signal'] as string) ? 'Signal not found' : null
    case 'delete-signal':
      return refusalOfSignal(facts, command['signal'] as string, at)
    case 'delete-rule':
    case 'replace-rule':
      return refusalOfRule(facts, command, at)
    default:
      return refusalOfWindow(facts.life, command, at)
  }
}

function refusalOfSignal({ world, gone }: Facts, signal: string, at: number): string | null {
  if (gone.has(signal)) return 'Signal not found'
  return policiesAt(world, at).some(({ inputs }) => inputs.some(input => input.signal === signal))
    ? 'Signal is still used by a rule'
    : null
}

function refusalOfRule({ world, gone }: Facts, command: Record<string, unknown>, at: number): string | null {
  const rule = command['rule'] as string
  if (policyAt(world, rule, at) === null) return 'Rule not found'
  if (command['kind'] === 'delete-rule')
    return policiesAt(world, at).some(({ inputs }) => inputs.some(input => input.from === rule))
      ? 'Rule is still used as an input'
      : null
  const isUnknown = (command['policy'] as Policy).inputs.some(({ signal, from }) =>
    from === null ? gone.has(signal as string) : policyAt(world, from, at) === null,
  )
  return isUnknown ? 'Unknown input' : null
}

function refusalOfWindow({ windows }: Life, command: Record<string, unknown>, at: number): string | null {
  const isRunning = windows.some(window => at >= window.from && at < window.until)
  if (command['kind'] === 'start-maintenance') {
    if (isRunning) return 'Already in maintenance'
  } else if (command['kind'] === 'move-maintenance' || command['kind'] === 'cancel-maintenance') {
    if (!isRunning) return 'No maintenance window'
  } else return null
  const endsAt = command['endsAt'] as number | undefined
  return endsAt !== undefined && endsAt <= at ? 'invalid observed_at' : null
}

const policiesAt = (world: NaiveWorld, at: number): Policy[] =>
  Object.keys(world.rules).flatMap(rule => policyAt(world, rule, at) ?? [])
