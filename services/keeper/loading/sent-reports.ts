// Observations of a command of generation 2 or 3, reduced to the fields that decide which earlier Observations a round reads. Pure.

import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import { checkKind, type Template } from '#shared/contracts/resources/template.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { isDeclared, isPlatformKey } from '#shared/subjects/resource-signals.ts'
import { isOfGeneration2 } from '#shared/subjects/subject-view.ts'

export interface SentReport {
  signal: string
  sentId: string | null
  /** Instant in microseconds; null: the keeper stamps the Observation. */
  atUs: number | null
  labels: Record<string, string>
  /**
   * True if a report stamped by the keeper and a report with its sender's instant always have different identities. False for generation 2.
   */
  isOwnIfStamped: boolean
}

export function reportsOf(command: Command): readonly SentReport[] {
  if (command.kind === 'observe') return command.observations.map(ownIfStamped)
  if (command.kind === 'first-report') return [ownIfStamped(command.observation)]
  if (command.kind !== 'report-observation' && command.kind !== 'report-observations') return []
  const reports = command.kind === 'report-observation' ? [command] : command.observations
  return reports.map(({ signal, observedAtUs, labels }) => ({
    ...{ signal, sentId: null, atUs: observedAtUs, labels },
    isOwnIfStamped: false,
  }))
}

const ownIfStamped = (sent: SentObservation): SentReport => ({ ...sent, isOwnIfStamped: true })

/** A signal, with the keys under which its Observations are stored. */
export interface ReportedSignal {
  key: string
  slug: string
  /** `all`: one series for the whole signal. `labels`: one series for each set of labels by which rules select. `none`: no series. */
  series: 'all' | 'labels' | 'none'
}

/**
 * Returns the signal of a first report, whose Resource does not exist yet. The signal may have a series already, because an earlier try may
 * have stored it before a crash. Null: the command is no first report, or the Template lacks the signal. `template`: the revision that the
 * command names.
 */
export function signalToBe(command: Command, template: Template | null): ReportedSignal | null {
  const slug = command.kind === 'first-report' ? command.observation.signal : null
  const place = template?.signals.filter(({ kind }) => kind !== checkKind).findIndex(({ key }) => key === slug) ?? -1
  return slug === null || place < 0 ? null : { key: `s${place + 1}`, slug, series: 'all' }
}

/** Returns the signal named `slug`; null: the subject has no signal of this name. `template`: null if no revision was published. */
export function signalNamed(subject: SubjectDocument, template: Template | null, slug: string): ReportedSignal | null {
  if (isPlatformKey(slug) && checkedPairs(subject).some(({ key }) => key === slug)) return { key: slug, slug, series: 'none' }
  const { custom } = subject
  const signal = custom?.signals.find(candidate => candidate.slug === slug)
  if (signal === undefined) return null
  const series = isOfGeneration2(signal) ? 'labels' : isDeclared(signal, template) ? 'none' : 'all'
  return { key: signal.key, slug, series }
}
