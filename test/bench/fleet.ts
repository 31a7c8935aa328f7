// Subjects that a run reports on, of either generation, and one report.
import type { CommandOf } from '#shared/contracts/command.ts'

export type Generation = 2 | 3

export interface CustomFleet {
  /** Whose Observations its subjects take. */
  generation: Generation
  workspaceId: string
  subjectIds: string[]
  /** Slugs, by subject. */
  slugs: string[]
  /** Slugs; the same at every subject. */
  signals: string[]
}

export type Report = Omit<CommandOf<'report-observation'>, 'kind' | 'id'>
