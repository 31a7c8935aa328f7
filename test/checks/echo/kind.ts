// A kind of check for tests: it finds what its answers say. No other file of the system knows it.
import { checkField } from '#shared/checks/check-field.ts'
import { type CheckKind, plainEntry } from '#shared/checks/check-kind.ts'
import { availabilityParts } from '#shared/checks/template-parts.ts'
import { watchFields } from '#shared/checks/watch-fields.ts'

const fields = [
  checkField({ key: 'text', type: 'string', label: 'Text', required: true, characters: 40 }),
  checkField({ key: 'fails', type: 'boolean', label: 'Fails', default: false }),
  checkField({
    key: 'pass_words',
    type: 'string_list',
    label: 'Pass words',
    default: [],
    items: [0, 2],
    characters: 20,
    secret: true,
  }),
  checkField({ key: 'whisper', type: 'secret', label: 'Whisper', default: '', characters: 40, secret: true }),
]

const parts = availabilityParts('echo', fields, { help: 'What it was told.', action: 'Tell it something else.' })

export const echo: CheckKind = {
  key: 'echo',
  name: 'Echo',
  watches: 'An echo',
  help: 'Finds what it is told.',
  value: { name: 'Time', unit: 'ms' },
  fields,
  watch: watchFields(30),
  templates: [{ key: 'echo-check', version: 1, name: 'Echo', summary: 'Says what it was told.', parts }],
  aim: ({ text }) => String(text),
  shown: ({ text }) => ({ method: 'echo', target: String(text), url: '', host: null }),
  ...plainEntry('echo', fields),
}
