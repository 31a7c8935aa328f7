// Reports of a location's remote probers, on their way to the observation stream. What is no report is dropped and counted.
import { Compile } from 'typebox/compile'
import { createAllowance } from '#shared/allowance.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { CheckResult } from '#shared/contracts/check.ts'
import { type DoorAnswers, DoorReport, type DoorRequest } from '#shared/contracts/door.ts'
import { doorLimits } from '#shared/door-limits.ts'
import { firstFault } from '#shared/first-fault.ts'
import { pause } from '#shared/pause.ts'
import type { DoorContext } from './door-context.ts'

const doorReport = Compile(DoorReport)
const checkResult = Compile(CheckResult)

export interface DoorReports {
  /** Resolves when all that are reports are stored. Rejects with a BusError; may be repeated. */
  take(request: DoorRequest<'report'>): Promise<DoorAnswers['report']>
}

export function openDoorReports({ bus, clock, location, onJunk }: DoorContext): DoorReports {
  const { reportsPerSecond } = doorLimits
  const allowance = createAllowance(clock, reportsPerSecond, reportsPerSecond)
  return {
    take: async ({ reports }) => {
      await pause(clock, allowance.take(reports.length, Number.POSITIVE_INFINITY) ?? 0)
      const storing: Promise<void>[] = []
      let firstReason: string | null = null
      for (const report of reports) {
        const reason = whyNone(report)
        firstReason ??= reason
        if (reason !== null) continue
        const [subjectId, result] = report as DoorReport
        storing.push(bus.observations.publish(subjects.observation(location.id, subjectId), result))
      }
      const dropped = reports.length - storing.length
      if (firstReason !== null) onJunk(location.name, firstReason, dropped)
      await Promise.all(storing)
      return { dropped }
    },
  }
}

/** Null: it is a report. */
function whyNone(report: unknown): string | null {
  if (!doorReport.Check(report)) return 'it is not a subject and a result'
  const [, result] = report
  if (checkResult.Check(result)) return null
  return firstFault(checkResult, result, 'the result')
}
