// The three sample messages that a template must render before it is stored, and their rendering (reference/messages 3.7).
import type { TableKind } from '#shared/contracts/incidents/alert.ts'
import type { TemplateFields } from '#shared/template/fields.ts'
import { type Rendered, renderTemplate } from '#shared/template/template.ts'

/**
 * Fields that the API shows of a sample. Their names are part of generation 2, so a field that came later is only rendered: `later` has its
 * value.
 */
export type SampleFields = Omit<TemplateFields, keyof typeof later>

const later = { incident: 'k7PmQ2xVb9' } as const

export interface Sample {
  alertKind: TableKind
  label: string
  fields: SampleFields
}

export interface SampleResult extends Omit<Sample, 'fields'> {
  rendered: Rendered
}

/** Values that all samples share, with characters that break unescaped JSON: quotation marks, and backslashes outside of escapes. */
const shared = {
  subject: 'Shop "checkout"',
  url: 'https://shop.example.com/health?full=1&from=monitor',
  link: 'https://status.example.com/subjects/Ab3dE6gH9k',
  workspace: 'Acme \\ Operations',
  rule: 'availability',
  action: 'Look at "checkout" first',
  resource: 'shop-checkout',
  at: '2026-01-05T12:02:00.000Z',
} as const

/** Error of a location that reports a failure. A no-data message may quote such an error too, if not all locations are silent. */
const checkError = 'Status 503, expected "200"'

export const samples: readonly Sample[] = [
  {
    alertKind: 'problem',
    label: 'Problems and reminders',
    fields: {
      ...shared,
      kind: 'problem',
      status: 'down',
      summary: `${shared.subject} is down: failing from 2 of 3 locations — Helsinki, Dallas`,
      error: checkError,
      locations: 'Helsinki, Dallas',
      evidence: '2 of 3 locations failing',
      lasted: '2m',
    },
  },
  {
    alertKind: 'no_data',
    label: 'No data',
    fields: {
      ...shared,
      kind: 'no_data',
      status: 'unknown',
      summary: `${shared.subject} — no data: no reports from 2 of 3 locations`,
      error: checkError,
      locations: 'Helsinki, Dallas',
      evidence: 'no reports from 2 of 3 locations',
      lasted: '2m',
    },
  },
  {
    alertKind: 'recovery',
    label: 'Recoveries',
    fields: {
      ...shared,
      kind: 'recovery',
      status: 'up',
      summary: `${shared.subject} is back up after 14m`,
      error: '',
      locations: 'Helsinki, Dallas, Oslo',
      evidence: 'all 3 locations ok',
      lasted: '14m',
    },
  },
]

/** Returns the rendering of each sample, for a preview and for the validation before a template is stored. */
export const judgeTemplate = (template: string): SampleResult[] =>
  samples.map(({ alertKind, label, fields }) => ({
    alertKind,
    label,
    rendered: renderTemplate(template, { ...fields, ...later }),
  }))
