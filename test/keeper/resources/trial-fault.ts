// Compares the trial of a rule with the rule's verdict right after it is saved.
import type { RuleTrial } from '#shared/contracts/subjects/rule-trial.ts'
import type { RuleState } from '#shared/contracts/subjects/subject.ts'

export interface Replied {
  ok: boolean
  result?: unknown
  error?: { message: string }
}

/** Returns the difference between the trial and the saved rule; null: they agree. `saved`: state of the rule after the save. */
export function trialFault(tried: Replied, reply: Replied, saved: RuleState | undefined): string | null {
  if (tried.ok !== reply.ok || tried.error?.message !== reply.error?.message) {
    return `tried: ${tried.error?.message ?? 'accepted'}, saved: ${reply.error?.message ?? 'accepted'}`
  }
  if (!tried.ok || saved === undefined) return null
  const { verdict, incident } = tried.result as RuleTrial
  const words = [verdict, incident?.value ?? 'no incident']
  const open = saved.incident?.value === 'closed' ? undefined : saved.incident?.value
  const now = [saved.verdict?.verdict, open ?? 'no incident']
  return words.join() === now.join() ? null : `${saved.slug}: tried ${words.join(', ')}, saved ${now.join(', ')}`
}
