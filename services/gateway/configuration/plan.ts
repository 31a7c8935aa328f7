// Plan: the steps that change the present workspace into the wanted one. Pure: the environment variables are an argument. If the files do
// not fit the workspace, the plan throws before anything is written. Faults of one object hide no faults of others, but later phases are not
// planned, because their faults may only follow from these.
import { faultAt } from './document.ts'
import { createFaults } from './file-fault.ts'
import { createKeptValues } from './kept-values.ts'
import { planDeletions } from './plan-deletions.ts'
import { planDestinations } from './plan-destinations.ts'
import { planResources } from './plan-resources.ts'
import { planSubjects } from './plan-subjects.ts'
import { planTables } from './plan-tables.ts'
import { planTemplates } from './plan-templates.ts'
import type { Present } from './present.ts'
import type { Step } from './step.ts'
import type { WantedConfiguration } from './wanted.ts'

export interface PlanOptions {
  workspace: string
  prune: boolean
  /** Variables, which contain the URLs of new destinations, and values that files do not show. */
  environment: Readonly<Record<string, string | undefined>>
}

/** Returns the steps in the order of their phases. Every object of the files has one step. Throws FileFault, with all others. */
export function plan(wanted: WantedConfiguration, present: Present, options: PlanOptions): Step[] {
  const { workspace, prune, environment } = options
  const [classicOnly] = [...wanted.subjects, ...wanted.tables]
  if (classicOnly !== undefined && present.classic === null) {
    const why = 'it is written by generation 2 of the API, which is switched off (API_LEGACY=gone): take it out of the folder'
    throw faultAt(classicOnly.source, 'kind', why)
  }
  const faults = createFaults()
  const context = { workspace, environment, kept: createKeptValues(environment), faults }
  const { steps: destinations, known } = planDestinations(wanted.destinations, present.destinations, context)
  const { steps: templates, revisions } = planTemplates(wanted.templates, present, { ...context, known })
  const resources = planResources(wanted.resources, present, { ...context, revisions })
  const subjects = planSubjects(wanted.subjects, present, context)
  const tables = planTables(wanted, present, { known, faults })
  faults.settle()
  const deletions = prune ? planDeletions(wanted, present, { workspace, revisions }) : []
  return [...destinations, ...templates, ...resources, ...subjects, ...tables, ...deletions]
}
