// The system Template of website monitors, `website-check@1`. The Template has the same fields as the stored monitor. Reference:
// docs/reference/v3.md, 3.10.

import type { FieldType, SystemTemplate, TemplateField } from '#shared/contracts/resources/template.ts'
import { FailureMode, WebsiteMethod } from '#shared/contracts/subjects/website.ts'
import { maxSeconds } from './manifest-refusal.ts'

const field = (key: string, type: FieldType, label: string, more: Partial<TemplateField> = {}): TemplateField => ({
  key,
  label,
  help: '',
  type,
  required: false,
  default: null,
  options: [],
  min: null,
  max: null,
  secret: false,
  ...more,
})

/** Default of the confirmation delay and of the recovery delay, s. It is also the default of the installation's settings of these delays. */
export const defaultDelay = 120

export const websiteCheck: SystemTemplate = {
  key: 'website-check',
  version: 1,
  name: 'Website check',
  summary: 'Checks a URL from several locations and opens an Incident when enough of them fail.',
  fields: [
    field('url', 'url', 'URL', { required: true }),
    field('method', 'enum', 'Method', { default: 'GET', options: [...WebsiteMethod.enum] }),
    field('content_type', 'string', 'Content type of the body', { default: '' }),
    field('data', 'string', 'Body', { default: '', secret: true }),
    field('statuses', 'integer_list', 'Accepted statuses', { default: [200] }),
    field('expected_text', 'string', 'Text that the response must hold', { default: '' }),
    field('locations', 'location_list', 'Locations', { required: true }),
    field('interval_value', 'integer', 'Interval', { required: true, min: 1, max: 1_440 }),
    field('interval_unit', 'enum', 'Unit of the interval', { default: 'MINUTE', options: ['MINUTE', 'HOUR'] }),
    field('failure_mode', 'enum', 'How many locations must fail', { default: 'at_least_one', options: [...FailureMode.enum] }),
    field('confirm_after', 'duration', 'Confirmation delay', { default: defaultDelay, min: 0, max: maxSeconds }),
    field('recover_after', 'duration', 'Recovery delay', { default: defaultDelay, min: 0, max: maxSeconds }),
  ],
  signals: [
    { key: 'reachability', kind: 'heartbeat', everySeconds: null, help: 'One for each location: reachability@<location id>.' },
  ],
  rules: [
    {
      key: 'availability',
      action: null,
      help: 'Judged by failure_mode over all locations; no report from half of them is no data.',
      wait: { confirmAfter: { meta: 'confirm_after' }, recoverAfter: { meta: 'recover_after' } },
      decision: null,
      destination: null,
      routes: null,
    },
  ],
}

export const systemTemplates: Readonly<Record<string, SystemTemplate>> = { [websiteCheck.key]: websiteCheck }
