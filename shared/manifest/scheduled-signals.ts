// Scheduled signals of a Template: those that have a ping address. Pure. Reference: docs/reference/v3.md, 17.1.
import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import type { AnyTemplate } from '#shared/contracts/resources/template.ts'

/** Returns the keys of the signals, in the order of the Template. */
export const scheduledSignals = ({ signals }: Pick<AnyTemplate, 'signals'>): string[] =>
  signals.filter(({ kind }) => kind === scheduleKind).map(({ key }) => key)
