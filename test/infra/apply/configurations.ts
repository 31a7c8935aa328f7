// Generators of configuration files of one workspace, with objects of every kind and references among the objects.
import fc from 'fast-check'

type File = Record<string, unknown>

const text = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .map(value => value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim())
    .filter(value => value.length > 0 && [...value].length <= maxLength)
/** Words that YAML parsers tend to read as values other than text. */
const odd = fc.constantFrom(
  'yes',
  'on',
  'null',
  '~',
  '1.0',
  '0x1f',
  '2026-10-05',
  '- a',
  '# a',
  'a: b',
  '"',
  "'",
  '{{ a }}',
  '*a',
  '&a',
  '!x',
  '%',
)
const words = (maxLength: number) => fc.oneof({ weight: 3, arbitrary: text(maxLength) }, { weight: 1, arbitrary: odd })
const key = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/)
const slug = fc.stringMatching(/^[a-z0-9]{1,6}(-[a-z0-9]{1,4})?$/)
const fieldKey = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/)
const labels = fc.dictionary(key, words(20), { maxKeys: 3 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const given = (file: File): File => Object.fromEntries(Object.entries(file).filter(([, value]) => value !== undefined))

const destinations = fc
  .uniqueArray(fc.stringMatching(/^[A-Z][a-z]{2,5}( [a-z0-9]{1,4})?$/), { maxLength: 3, selector: name => name.toLowerCase() })
  .chain(names =>
    fc
      .tuple(
        maybe(fc.nat(Math.max(0, names.length - 1))),
        ...names.map(() => fc.record({ type: fc.constantFrom('slack', 'webhook'), enabled: fc.boolean(), open: fc.boolean() })),
      )
      .map(([marked, ...rest]) =>
        names.map((name, i): File => {
          const { type, enabled, open } = rest[i] as { type: string; enabled: boolean; open: boolean }
          const more = type === 'slack' ? { channel: 'ops' } : { send_on_open: open }
          // If no destination is to be the default, all have `default: false`. Without it, the first enabled one would become the default.
          const isDefault = marked === undefined ? false : i === marked || undefined
          return given({ kind: 'Destination', name, type, ...more, enabled, default: isDefault })
        }),
      ),
  )

const fields = fc.uniqueArray(
  fc.oneof(
    fc.record({ key: fieldKey, type: fc.constant('string'), default: maybe(words(12)), help: maybe(words(30)) }),
    fc.record({
      key: fieldKey,
      type: fc.constant('integer'),
      default: fc.integer({ min: 1, max: 9 }),
      min: maybe(fc.constant(0)),
    }),
    fc.record({
      key: fieldKey,
      type: fc.constant('enum'),
      options: fc.constant(['on', 'off']),
      default: maybe(fc.constant('on')),
    }),
    fc.record({ key: fieldKey, type: fc.constant('string_list'), default: maybe(fc.array(words(5), { maxLength: 2 })) }),
  ),
  { selector: field => field.key, maxLength: 3 },
)

const templateOf = (key: string, version: number | undefined, names: readonly string[]) =>
  fc
    .record({
      name: words(20),
      summary: maybe(words(40)),
      fields: maybe(fields),
      wait: fc.nat(600),
      operand: fc.double({ min: -1e6, max: 1e6, noNaN: true }).map(value => value + 0),
      routed: fc.constantFrom('none', 'destination', 'routes', 'nowhere'),
    })
    .map(({ name, summary, fields, wait, operand, routed }): File => {
      const [first] = names
      const route =
        first === undefined || routed === 'none'
          ? {}
          : routed === 'destination'
            ? { destination: { name: first } }
            : {
                routes: routed === 'nowhere' ? [] : names.map(one => ({ destination: { name: one }, on: ['opened', 'problem'] })),
              }
      const full = { signal: 'load', field: 'value', operator: 'gt', operand }
      const decision = { any: [full, { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' }] }
      return given({
        kind: 'Template',
        key,
        version,
        name,
        summary,
        fields: fields?.map(given),
        signals: [
          { key: 'beat', kind: 'heartbeat', every_seconds: 60 },
          { key: 'load', kind: 'event', help: 'How busy.' },
        ],
        rules: [{ key: 'busy', action: 'Look.', wait: { confirm_after: wait, recover_after: 0 }, decision, ...route }],
      })
    })

const answer = (field: File): fc.Arbitrary<unknown> =>
  field['type'] === 'integer'
    ? fc.integer({ min: 0, max: 20 })
    : field['type'] === 'enum'
      ? fc.constantFrom('on', 'off')
      : field['type'] === 'string_list'
        ? fc.array(words(5), { maxLength: 3 })
        : words(12)

const resourceOf = (key: string, template: File) =>
  fc
    .record({
      name: words(30),
      labels: maybe(labels),
      bare: fc.boolean(),
      meta: fc.record(
        Object.fromEntries(((template['fields'] ?? []) as File[]).map(field => [String(field['key']), maybe(answer(field))])),
      ),
    })
    .map(({ name, labels, bare, meta }): File => {
      const reference =
        template['version'] === undefined || (bare && template['version'] !== 2)
          ? template['key']
          : `${template['key']}@${template['version']}`
      return given({ kind: 'Resource', key, name, template: reference, labels, meta: given(meta) })
    })

const monitorOf = (key: string) =>
  fc
    .record({
      name: words(30),
      labels: maybe(labels),
      url: fc.webUrl({ size: 'small' }).filter(url => URL.canParse(url)),
      statuses: maybe(fc.uniqueArray(fc.integer({ min: 100, max: 599 }), { minLength: 1, maxLength: 3 })),
      expected: maybe(words(10)),
      confirm: maybe(fc.nat(900)),
    })
    .map(({ name, labels, url, statuses, expected, confirm }): File => {
      const meta = { url, statuses, expected_text: expected, confirm_after: confirm, locations: ['local'], interval_value: 30 }
      return given({ kind: 'Monitor', key, name, labels, meta: given(meta) })
    })

const subjectOf = (key: string) =>
  fc
    .record({
      name: text(20).filter(name => /[\p{L}\p{Nd}]/u.test(name)),
      labels: maybe(labels),
      meta: maybe(fc.dictionary(fieldKey, fc.oneof(words(5), fc.integer(), fc.boolean()), { maxKeys: 2 })),
      rules: fc.nat(2),
      after: fc.constantFrom('26h', '90s', '250ms'),
    })
    .map(({ name, labels, meta, rules, after }): File => {
      const input = { signal: 'run', mode: 'status', no_data_after: after, match: { host: 'db1' } }
      const first = { key: 'fails', name: 'Backup fails', document: { inputs: [input], decision: { need: 'any' } } }
      const document = {
        inputs: [{ from: 'fails' }],
        decision: { need: 'all' },
        wait: { confirm_after: '30s', close_after: '1m' },
      }
      const second = { key: 'again', name: 'again', document }
      const signals = [
        { key: 'run', name: 'Run of it', kind: 'heartbeat', meta },
        { key: 'done', name: 'done', kind: 'event' },
      ]
      return given({ kind: 'Subject', key, name, labels, signals: signals.map(given), rules: [second, first].slice(2 - rules) })
    })

/** Generates the files of a folder. Variables of the environment contain the URLs of destinations. */
export const configurations: fc.Arbitrary<File[]> = fc
  .record({
    destinations,
    templateKeys: fc.uniqueArray(key, { maxLength: 2 }),
    keys: fc.uniqueArray(slug, { maxLength: 6, selector: one => one.toLowerCase() }),
    versions: fc.constantFrom<(number | undefined)[]>([undefined], [3], [2, 7]),
  })
  .chain(({ destinations, templateKeys, keys, versions }) => {
    const names = destinations.map(({ name }) => String(name))
    const revisions = templateKeys
      .filter(one => one !== 'website-check')
      .flatMap(one => versions.map(version => templateOf(one, version, names)))
    return fc.tuple(fc.constant(destinations), fc.tuple(...revisions), fc.constant(keys))
  })
  .chain(([destinations, templates, keys]) => {
    const owned = keys.map((one, i) => {
      const template = templates[i % Math.max(1, templates.length)]
      if (i % 3 === 2) return subjectOf(one)
      return template === undefined || i % 3 === 1 ? monitorOf(one) : resourceOf(one, template)
    })
    return fc.tuple(fc.constant([...destinations, ...templates]), fc.tuple(...owned))
  })
  .map(([parts, owned]) => {
    const first = parts.find(({ kind }) => kind === 'Destination')
    const rows = [{ destination: first?.['name'], on: ['recovery', 'problem'] }]
    const tables = owned.filter(({ kind }) => kind !== 'Resource' && first !== undefined)
    return [...parts, ...owned, ...tables.map(({ key }) => ({ kind: 'DeliveryTable', subject: key, rows }))]
  })
