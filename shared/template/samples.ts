// The three messages that a template is judged by before it is stored, and the judgement itself (spec D 2, Transformation).
import type { TableKind } from '#shared/contracts/alert.ts'
import type { TemplateFields } from '#shared/template/fields.ts'
import { type Rendered, renderTemplate } from '#shared/template/template.ts'

export interface Sample {
  alertKind: TableKind
  label: string
  fields: TemplateFields
}

export interface SampleResult extends Omit<Sample, 'fields'> {
  rendered: Rendered
}

/**
 * What all three share. The values hold what breaks careless JSON: quotation marks and a backslash. None begins with a letter that
 * JSON knows after a backslash.
 */
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

/** Of silence too: what it quotes is a location that reports, and fails. Where all are silent there is none. */
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

/** The template against each sample: what a preview shows, and what a template must pass to be stored. */
export const judgeTemplate = (template: string): SampleResult[] =>
  samples.map(({ alertKind, label, fields }) => ({ alertKind, label, rendered: renderTemplate(template, fields) }))
