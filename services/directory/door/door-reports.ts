// Reports of a location's remote probers. Valid reports are written to the observation stream; invalid reports are dropped and counted.
import { Compile } from 'typebox/schema'
import { createAllowance } from '#shared/async/allowance.ts'
import { pause } from '#shared/async/pause.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { CheckResult } from '#shared/contracts/observations/check.ts'
import { DoorReport, type DoorRequest } from '#shared/contracts/observations/door.ts'
import { refusal } from '#shared/errors.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import { firstFault } from '#shared/text/first-fault.ts'
import type { DoorContext } from './door-context.ts'

const doorReport = Compile(DoorReport)
const checkResult = Compile(CheckResult)

export function openDoorReports({ bus, clock, level, location, onJunk }: DoorContext) {
  const { reportsPerSecond, reportWaitMs } = doorLimits
  const allowance = createAllowance(clock, reportsPerSecond, reportsPerSecond)
  return {
    /** Resolves when all valid reports are stored. Rejects with a BusError or `busy`; the caller may retry. */
    take: async ({ reports }: DoorRequest<'report'>) => {
      const waitMs = allowance.take(reports.length, reportWaitMs)
      if (waitMs === null) throw refusal('busy', 'Too many reports', 'the location sends too many reports')
      await pause(clock, waitMs)
      const storing: Promise<void>[] = []
      const junk: unknown[] = []
      for (const report of reports) {
        if (!isReport(report)) {
          junk.push(report)
          continue
        }
        const [subjectId, result] = report
        // Older keepers read only the form with the id in the bus subject, whatever the prober knows.
        const isFlat = level.number() >= flatForms
        const busSubject = (isFlat ? subjects.flatObservation : subjects.observation)(location.id, subjectId)
        storing.push(bus.observations.publish(busSubject, isFlat ? { ...result, subject: subjectId } : result))
      }
      // Only the first invalid report is examined for the reason, because this takes much longer than a check of a report.
      if (junk.length > 0) onJunk(location.name, whyNone(junk[0]), junk.length)
      await Promise.all(storing)
      return { dropped: junk.length }
    },
  }
}

const isReport = (report: unknown): report is [string, CheckResult] => doorReport.Check(report) && checkResult.Check(report[1])

const whyNone = (report: unknown): string =>
  doorReport.Check(report) ? firstFault(checkResult, report[1], 'the result') : 'it is not a subject and a result'
