// Planned requests that create or change delivery tables, custom subjects and website monitors. Pure.
import { isWebsiteTemplate, websiteTemplate } from '#shared/checks/website/website-template.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { faultAt } from './document.ts'
import type { Faults } from './file-fault.ts'
import { isSame, type KnownDestination } from './plan-destinations.ts'
import type { Present } from './present.ts'
import { left, type Step } from './step.ts'
import type { WantedConfiguration, WantedTable } from './wanted.ts'

interface TablePlanContext {
  known: readonly KnownDestination[]
  faults: Faults
}

export function planTables(wanted: WantedConfiguration, present: Present, { known, faults }: TablePlanContext): Step[] {
  return faults.each(wanted.tables, (table): Step => {
    const { source, subject } = table
    const isMonitor = isOfMonitor(table, wanted, present)
    const rows = table.rows.map(({ destination, on }, i) => {
      const found = known.find(({ name }) => isSame(name, destination))
      if (found !== undefined) return { destination: found.name, on }
      throw faultAt(
        source,
        `rows.${i}.destination`,
        `there is no destination "${destination}", neither in the files nor in the workspace`,
      )
    })
    const step = { phase: 'tables', kind: 'DeliveryTable', name: subject, source } as const
    const before = present.classic?.tables.get(subject) ?? []
    const now = present.destinations.map(({ id, name }) => ({ name, after: known.find(one => one.id === id)?.name ?? name }))
    const renamed = before.map(({ destination, on }) => ({
      destination: now.find(({ name }) => name === destination)?.after ?? destination,
      on,
    }))
    if (isSameValue(rows, renamed)) return left(step)
    const made = before.length === 0
    return {
      ...step,
      verb: made ? 'made' : 'changed',
      what: made ? '' : 'rows',
      requests: [],
      table: { key: subject, isMonitor, rows },
    }
  })
}

/** Returns whether the table's subject is a website monitor. Throws if the subject is neither a website monitor nor a custom subject. */
function isOfMonitor({ source, subject }: WantedTable, wanted: WantedConfiguration, { resources }: Present): boolean {
  const file = wanted.resources.find(({ key }) => key === subject)
  const found = resources.find(({ key, archived_at }) => key === subject && archived_at === null)
  if (wanted.subjects.some(({ key }) => key === subject)) return false
  const template = file === undefined ? found?.template : (file.template ?? websiteTemplate)
  if (template === undefined) throw faultAt(source, 'subject', `there is no custom subject and no monitor ${subject}`)
  if (template === null || isWebsiteTemplate(template)) return template !== null
  throw faultAt(source, 'subject', `${subject} is a Resource of a Template: its rules say where messages go`)
}
