// Checks of configuration files before any request: each fault is reported with file, line and dotted path, and sizes have bounds. The
// cases need no server.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { readFolder } from '../../../infra/cli/configuration/read-folder.ts'
import { applyFiles } from '../../../services/gateway/configuration/apply-files.ts'
import { readObjects } from '../../../services/gateway/configuration/document.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { temporaryFolder } from '../run-program.ts'
import { bound, job, planned } from './planned.ts'

const monitor = (meta: string) =>
  `kind: Monitor\nkey: new\nname: New\nmeta: {url: 'https://example.com', interval_value: 1, ${meta}}`
const subject = (document: string) => `kind: Subject
key: queue
name: Queue
signals:
  - {key: depth, name: Depth, kind: event}
rules:
  - key: deep
    name: Deep
    document: ${document}
`

const faults: [what: string, text: string, fault: RegExp][] = [
  ['a missing bracket', 'kind: Template\nsignals: [\nkey: job', /^a\.yaml:3:1: /],
  ['a key that stands twice', 'kind: Template\nkey: a\nkey: b', /^a\.yaml:3:1: Map keys must be unique/],
  ['a tag', 'kind: Monitor\nmeta: !!python/object {}', /^a\.yaml:2:7: Unresolved tag/],
  ['a tag of YAML 1.1', '%YAML 1.1\n---\nkind: Monitor\nmeta: !!set {a}', /^a\.yaml:4:7: Unresolved tag/],
  [
    'an infinite number',
    'kind: Monitor\nkey: a\nname: A\nmeta:\n  x: [1, .inf]',
    /^a\.yaml:5: meta\.x\.1: it must be a finite number/,
  ],
  [
    'an alias without an anchor',
    'kind: Monitor\nmeta:\n  url: *home',
    /^a\.yaml:3:8: the alias \*home has no anchor &home before it/,
  ],
  ['an alias before its anchor', 'kind: Monitor\nkey: *a\nname: &a x', /^a\.yaml:2:6: the alias \*a has no anchor &a before it/],
  ['a merge key with a text', 'kind: Monitor\n<<: words', /a merge key << takes an object/],
  ['an alias inside its own anchor', 'kind: Monitor\nmeta: &a\n  b: *a', /nested deeper than 64 levels/],
  ['what lies too deep', `kind: Monitor\nmeta: ${'['.repeat(80)}${']'.repeat(80)}`, /nested deeper than 64 levels/],
  ['what lies far too deep', `a: ${'['.repeat(100_000)}`, /^a\.yaml:1:67: it is nested deeper than 64 levels$/],
  ['lists that lie far too deep', '- '.repeat(20_000), /^a\.yaml:1:129: it is nested deeper than 64 levels$/],
  ['keys that lie far too deep', '? '.repeat(20_000), /^a\.yaml:1:129: it is nested deeper than 64 levels$/],
  ['JSON that lies far too deep', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, /^a\.yaml:1:69: it is nested deeper/],
  ['a list of numbers', '- 1\n- 2', /^a\.yaml:1: it must be an object with a kind/],
  ['a text', 'hello', /^a\.yaml:1: it must be an object with a kind, or a list of such$/],
  ['no kind', 'key: a', /^a\.yaml:1: it needs a kind: one of Destination, Template/],
  ['another kind', 'name: a\nkind: Website', /^a\.yaml:2: kind: it must be one of Destination, Template/],
  ['an unknown member', 'kind: Destination\nname: A\nurl: https://a', /^a\.yaml:3: url: Unknown field 'url'/],
  ['a missing member', 'kind: Destination\nname: A', /^a\.yaml:1: type: /],
  [
    'a second default',
    'kind: Destination\nname: Ops\ntype: slack\ndefault: true\n---\nkind: Destination\nname: B\ntype: slack\ndefault: true',
    /^a\.yaml:9: default: /,
  ],
  [
    'a channel of a webhook',
    'kind: Destination\nname: A\ntype: webhook\nchannel: ops',
    /^a\.yaml:4: channel: a webhook has no channel/,
  ],
  ['openings to slack', 'kind: Destination\nname: A\ntype: slack\nsend_on_open: true', /^a\.yaml:4: send_on_open: /],
  [
    'a new destination without its URL',
    'kind: Destination\nname: On call!\ntype: slack',
    /^a\.yaml:2: name: "On call!" is new: set WATCHKEEPER_DESTINATION_ON_CALL_URL to its URL/,
  ],
  [
    'another type of a destination',
    'kind: Destination\nname: ops\ntype: webhook',
    /^a\.yaml:3: type: "Ops" is a slack, and a type never changes/,
  ],
  [
    'two destinations with one variable',
    'kind: Destination\nname: Ops\ntype: slack\n---\nkind: Destination\nname: Ops!\ntype: slack',
    /^a\.yaml:6: name: "Ops" and "Ops!" would both/,
  ],
  [
    'one object twice',
    `${bound('template: job')}\n---\nkind: Monitor\nkey: a\nname: A`,
    /^a\.yaml:20: key: it stands in a\.yaml:14 too/,
  ],
  [
    'a fault deep in a Template',
    job.replace('operand: problem', 'operand: broken'),
    /^a\.yaml:12: rules\.0\.decision\.operand: /,
  ],
  [
    'a destination that there is not',
    `${job}    destination: {name: Nobody}`,
    /^a\.yaml:13: rules\.0\.destination: 'Nobody' names no destination/,
  ],
  ['a Template that there is not', bound('template: task'), /^a\.yaml:17: template: there is no Template task, neither/],
  ['a revision that there is not', bound('template: job@7'), /^a\.yaml:17: template: there is no Template job@7/],
  ['a wrong answer', bound('template: job\nmeta:\n  most: many'), /^a\.yaml:19: meta\.most: /],
  [
    'an answer to no field',
    bound('template: job\nmeta: {least: 1}'),
    /^a\.yaml:18: meta\.least: The Template declares no field 'least'/,
  ],
  ['a number as a label', bound('template: job\nlabels:\n  env: 1.0'), /^a\.yaml:19: labels\.env: a label is a text/],
  [
    '17 labels',
    bound(`template: job\nlabels: {${Array.from({ length: 17 }, (_, i) => `l${i}: a`).join(', ')}}`),
    /labels: a Resource has at most 16 labels/,
  ],
  [
    'a key of an archived Resource',
    `${job}---\nkind: Resource\nkey: old\nname: A\ntemplate: job`,
    /^a\.yaml:15: key: old is archived, and nothing restores it/,
  ],
  [
    'a monitor as a Resource',
    `${job}---\nkind: Resource\nkey: shop\nname: A\ntemplate: job`,
    /^a\.yaml:15: key: shop is a website monitor: its kind is Monitor/,
  ],
  [
    'a subject as a Resource',
    `${job}---\nkind: Resource\nkey: queue\nname: A\ntemplate: job`,
    /queue is a custom subject: its kind is Subject/,
  ],
  [
    'a monitor as a subject',
    'kind: Subject\nkey: shop\nname: Shop',
    /^a\.yaml:2: key: shop is no custom subject: its kind is Monitor/,
  ],
  ['a Location that there is not', monitor('locations: [mars]'), /^a\.yaml:4: meta\.locations\.0: there is no Location "mars"/],
  ['a monitor without Locations', monitor('method: GET'), /^a\.yaml:4: meta\.locations: /],
  [
    'a wrong rule document',
    subject('{inputs: [{signal: depth, mode: status}], decision: {need: some}}'),
    /^a\.yaml:9: rules\.0\.document\.decision\.need: .* must be one of/,
  ],
  [
    'a rule that reads no signal',
    subject('{inputs: [{signal: dpeth, mode: status}], decision: {need: any}}'),
    /^a\.yaml:9: rules\.0\.document\.inputs\.0\.signal: there is no signal dpeth/,
  ],
  [
    'a rule that reads itself',
    subject('{inputs: [{from: deep}], decision: {need: any}}'),
    /^a\.yaml:6: rules: rules must not read each other in a circle/,
  ],
  [
    'another kind of signal',
    'kind: Subject\nkey: queue\nname: Q\nsignals:\n  - {key: depth, name: D, kind: heartbeat}',
    /^a\.yaml:5: signals\.0\.kind: the signal depth has the kind event, which never changes/,
  ],
  [
    'a table of nobody',
    'kind: DeliveryTable\nsubject: nobody\nrows: [{destination: Ops, on: [problem]}]',
    /^a\.yaml:2: subject: there is no custom subject and no monitor nobody/,
  ],
  [
    'a table of a Resource',
    `${bound('template: job')}\n---\nkind: DeliveryTable\nsubject: a\nrows: [{destination: Ops, on: [problem]}]`,
    /^a\.yaml:20: subject: a is a Resource of a Template/,
  ],
  [
    'a table with an unknown destination',
    'kind: DeliveryTable\nsubject: queue\nrows:\n  - {destination: B, on: [problem]}',
    /^a\.yaml:4: rows\.0\.destination: there is no destination "B"/,
  ],
]

t.test('wrong file is refused with file, line and dotted path', async t => {
  for (const [what, text, fault] of faults) t.throws(() => planned(text), { message: fault, name: 'FileFault' }, what)
})

t.test('merge keys of YAML are read: own members come first, then those of the earlier object', t => {
  const text = `
- &base { kind: Monitor, key: a, name: A, every: 5m, url: 'https://a.example' }
- { <<: *base, key: b }
- <<: [{ name: C, every: 1m }, *base]
  key: c
`
  t.strictSame(
    readObjects('a.yaml', text).map(({ value }) => value),
    [
      { kind: 'Monitor', key: 'a', name: 'A', every: '5m', url: 'https://a.example' },
      { kind: 'Monitor', key: 'b', name: 'A', every: '5m', url: 'https://a.example' },
      { kind: 'Monitor', key: 'c', name: 'C', every: '1m', url: 'https://a.example' },
    ],
  )
  t.end()
})

t.test('document is refused when its YAML aliases expand to much text', async t => {
  const lines = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (let i = 1; i < 12; i++)
    lines.push(`${'abcdefghijkl'[i]}: &${'abcdefghijkl'[i]} [${`*${'abcdefghijkl'[i - 1]}, `.repeat(9)}]`)
  t.throws(() => readObjects('a.yaml', lines.join('\n')), { message: /^a\.yaml:1: its aliases repeat too much/ })
  const [shared] = readObjects('a.yaml', 'kind: Monitor\none: &a [1]\nother: *a')
  t.strictSame(shared?.value, { kind: 'Monitor', one: [1], other: [1] }, 'a few are read')
})

t.test('message about a fault shows no control character of the file on the terminal', async t => {
  const text = 'kind: Destination\nname: A\n"\\e[2J": 1'
  t.throws(() => planned(text), { message: /Unknown field ' \[2J'/ })
})

t.test('folder is read with its sub-folders and its links to files, up to the bounds of its size', async t => {
  const folder = temporaryFolder(t)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  await t.rejects(readFolder(join(folder, 'none')), { message: /^There is no file or folder/, exitCode: 5 })
  await t.rejects(readFolder(folder), { message: /holds no configuration/, exitCode: 2 })
  mkdirSync(join(folder, 'sub'))
  mkdirSync(join(folder, '.git'))
  write('.git/c.yaml', 'kind: Hidden')
  write('readme.md', '# not read')
  write('sub/b.json', '[{"kind": "A"}, {"kind": "B"}]')
  write('a.yml', '# only a comment\n---\nkind: C\n')
  symlinkSync(join(folder, 'a.yml'), join(folder, 'z.yaml'))
  t.strictSame(
    Object.entries(await readFolder(folder)).flatMap(([file, text]) =>
      readObjects(file, text).map(({ value, positionOf }) => [value['kind'], file, positionOf('').line]),
    ),
    [
      ['C', join(folder, 'a.yml'), 3],
      ['A', join(folder, 'sub/b.json'), 1],
      ['B', join(folder, 'sub/b.json'), 1],
      ['C', join(folder, 'z.yaml'), 3],
    ],
  )
  write('broken.yaml', '\u0000')
  writeFileSync(join(folder, 'broken.yaml'), new Uint8Array([0xff, 0xfe]))
  await t.rejects(readFolder(folder), { message: /broken\.yaml: it is not UTF-8/ })
  write('broken.yaml', `# ${'x'.repeat(limits.configuration.bytes - 1)}`)
  await t.rejects(readFolder(folder), { message: /broken\.yaml: it has more than 16777216 bytes/ })
})

t.test('folder is refused as the wrong folder when its files or bytes exceed the bound', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a.yaml'), 'kind: A')
  for (let i = 1; i < limits.configuration.files; i++) writeFileSync(join(folder, `${i}.yaml`), '')
  t.equal(Object.keys(await readFolder(folder)).length, limits.configuration.files, 'the most files are read')
  writeFileSync(join(folder, 'more.yaml'), '')
  await t.rejects(readFolder(folder), { message: /holds more than 10000 files and folders/, exitCode: 2 })

  const large = temporaryFolder(t)
  const half = `# ${'x'.repeat(limits.configuration.bytes / 2 - 2)}`
  for (const name of ['a.yaml', 'b.yaml']) writeFileSync(join(large, name), half)
  t.equal(Object.keys(await readFolder(large)).length, 2, 'the most bytes are read')
  writeFileSync(join(large, 'c.yaml'), '#')
  await t.rejects(readFolder(large), { message: /holds more than 16777216 bytes/, exitCode: 2 })
})

t.test('faults of several files and objects are found together, those of a later phase only without earlier ones', async t => {
  const faultsOf = (text: string): string[] => {
    try {
      planned(text)
      return []
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      return [error, ...error.others].map(({ message }) => message)
    }
  }
  const destination = (name: string) => `kind: Destination\nname: ${name}\ntype: slack\n---\n`
  t.match(faultsOf('kind: Resource\n---\nkey: a\n---\nkind: Monitor\nkey: b'), [
    /^a\.yaml:1: key/,
    /^a\.yaml:3: /,
    /^a\.yaml:5: name/,
  ])
  t.match(faultsOf(`${destination('B')}${destination('C')}${bound('template: task')}`), [
    /^a\.yaml:2: name: "B" is new: set WATCHKEEPER_DESTINATION_B_URL/,
    /^a\.yaml:6: name: "C" is new: set WATCHKEEPER_DESTINATION_C_URL/,
  ])
  t.match(
    faultsOf(`${bound('template: task')}\n---\nkind: DeliveryTable\nsubject: nobody\nrows: [{destination: Ops, on: [problem]}]`),
    [/there is no Template task/, /no monitor nobody/],
  )
  const many = Array.from({ length: 150 }, (_, i) => `kind: Monitor\nkey: m${i}`).join('\n---\n')
  t.equal(faultsOf(many).length, 100, 'the first hundred')
})

t.test('files with the most objects are read, one object more is refused, and so are files without an object', async t => {
  const most = limits.configuration.objects
  const of = (text: string) =>
    applyFiles({ files: { 'a.json': text }, values: {}, isDryRun: true, prune: true }, nobody, {
      onPlanned: () => {},
      isOver: () => true,
    })
  const list = (count: number) => `[${Array.from({ length: count }, () => '{}').join()}]`
  await t.rejects(of(list(most)), { message: /^a\.json:1: it needs a kind/ })
  await t.rejects(of(list(most + 1)), { message: /^a\.json: it holds more than 110000 objects/, name: 'FileFault' })
  await t.rejects(of('# nothing'), { message: /^a\.json: it holds no configuration/, name: 'FileFault' })
})

/** Clients that refuse every request, because a faulty file is refused before any. */
const nobody = { workspace: 'w1', send: () => Promise.reject(new Error('asked')) }

t.test('aliases repeat a part of a document at most 100 times', async t => {
  const most = limits.configuration.aliases
  const file = (count: number) => `kind: A\nbase: &a [1]\nall: [${Array.from({ length: count }, () => '*a').join(', ')}]`
  const [read] = readObjects('a.yaml', file(most - 1))
  t.strictSame(read?.value['all'], Array(most - 1).fill([1]))
  t.throws(() => readObjects('a.yaml', file(most)), { message: /^a\.yaml:1: its aliases repeat too much/, name: 'FileFault' })
})
