// Plan: the steps that change the present workspace into the wanted one. Pure: the environment variables are an argument. If the files do
// not fit the workspace, the plan throws before anything is written.
import { faultAt } from './document.ts'
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
  /** Environment variables, which contain the URLs of new destinations, and values that files do not show. */
  environment: Readonly<Record<string, string | undefined>>
}

/** Returns the steps in the order of their phases. Every object of the files has one step. Throws FileFault. */
export function plan(wanted: WantedConfiguration, present: Present, options: PlanOptions): Step[] {
  const { workspace, prune, environment } = options
  const [classicOnly] = [...wanted.subjects, ...wanted.tables]
  if (classicOnly !== undefined && present.classic === null) {
    const why = 'it is written by generation 2 of the API, which is switched off (API_LEGACY=gone): take it out of the folder'
    throw faultAt(classicOnly.source, 'kind', why)
  }
  const kept = createKeptValues(environment)
  const destinations = planDestinations(wanted.destinations, present.destinations, { workspace, environment })
  const { steps: templates, revisions } = planTemplates(wanted.templates, present, { workspace, known: destinations.known, kept })
  return [
    ...destinations.steps,
    ...templates,
    ...planResources(wanted.resources, present, { workspace, revisions, kept }),
    ...planSubjects(wanted.subjects, present, { workspace, kept }),
    ...planTables(wanted, present, destinations.known),
    ...(prune ? planDeletions(wanted, present, { workspace, revisions }) : []),
  ]
}
