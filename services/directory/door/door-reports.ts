// Reports of a location's remote probers, on their way to the observation stream. What is no report is dropped and counted.
import { Compile } from 'typebox/compile'
import { createAllowance } from '#shared/async/allowance.ts'
import { pause } from '#shared/async/pause.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { CheckResult } from '#shared/contracts/observations/check.ts'
import { type DoorAnswers, DoorReport, type DoorRequest } from '#shared/contracts/observations/door.ts'
import { AppError } from '#shared/errors.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { firstFault } from '#shared/text/first-fault.ts'
import type { DoorContext } from './door-context.ts'

const doorReport = Compile(DoorReport)
const checkResult = Compile(CheckResult)

export interface DoorReports {
  /** Resolves when all that are reports are stored. Rejects with a BusError, or as busy; may be repeated. */
  take(request: DoorRequest<'report'>): Promise<DoorAnswers['report']>
}

export function openDoorReports({ bus, clock, location, onJunk }: DoorContext): DoorReports {
  const { reportsPerSecond, reportWaitMs } = doorLimits
  const allowance = createAllowance(clock, reportsPerSecond, reportsPerSecond)
  return {
    take: async ({ reports }) => {
      const waitMs = allowance.take(reports.length, reportWaitMs)
      if (waitMs === null) throw new AppError('busy', 'Too many reports', { details: 'the location sends too many reports' })
      await pause(clock, waitMs)
      const storing: Promise<void>[] = []
      const junk: unknown[] = []
      for (const report of reports) {
        if (!isReport(report)) {
          junk.push(report)
          continue
        }
        const [subjectId, result] = report
        storing.push(bus.observations.publish(subjects.observation(location.id, subjectId), result))
      }
      // Finding the reason costs far more than the check alone.
      if (junk.length > 0) onJunk(location.name, whyNone(junk[0]), junk.length)
      await Promise.all(storing)
      return { dropped: junk.length }
    },
  }
}

const isReport = (report: unknown): report is [string, CheckResult] => doorReport.Check(report) && checkResult.Check(report[1])

const whyNone = (report: unknown): string =>
  doorReport.Check(report) ? firstFault(checkResult, report[1], 'the result') : 'it is not a subject and a result'
