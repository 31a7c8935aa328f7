// Subjects of a run, of generation 2 or 3, and the form of a report on one of these subjects.
import type { CommandOf } from '#shared/contracts/subjects/command.ts'

export type Generation = 2 | 3

export interface CustomFleet {
  /** Generation of the fleet's Observations. */
  generation: Generation
  workspaceId: string
  subjectIds: string[]
  /** Slugs of the subjects. */
  slugs: string[]
  /** Slugs of the signals, equal for every subject. */
  signals: string[]
}

export type Report = Omit<CommandOf<'report-observation'>, 'kind' | 'id'>
