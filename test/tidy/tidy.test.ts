// Text rules of `npm run check` on every file that git tracks or would add. A planted violation of each rule shows that the rule works.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { channelsPage } from '../../infra/gates/channels-page.ts'
import { checksPage } from '../../infra/gates/checks-page.ts'
import { commandsPage } from '../../infra/gates/commands-page.ts'
import { mcpPage } from '../../infra/gates/mcp-page.ts'
import { citations, citedRules, numberedRules } from '../../infra/gates/numbered-rules.ts'
import { settingsPage } from '../../infra/gates/settings-page.ts'
import { citedPaths, type SourceFile, tidyRules } from '../../infra/gates/tidy-rules.ts'

const machineFolder = ['', 'work', 'main', 'x'].join('/')
const registryHost = ['registry', 'npmjs', 'org'].join('.')
/** Forbidden words are concatenated from parts, so that this file itself does not break the rules. */
const planting = {
  sleeping: ['sle', 'ep('].join(''),
  alone: ['t.on', 'ly('].join(''),
  leftOut: ['t.sk', 'ip('].join(''),
  waiting: ['setTime', 'out(resolve'].join(''),
  mark: ['TO', 'DO'].join(''),
  excuse: ['for', 'now'].join(' '),
}

/** For each rule, in the order of the table: files that break it, and similar files that do not. */
const planted: { rule: string; bad: SourceFile[]; good: SourceFile[] }[] = [
  {
    rule: 'randomness',
    bad: [{ path: 'services/prober/x.ts', text: '// x\nconst jitter = Math.random() * 3\n' }],
    good: [{ path: 'services/prober/x.ts', text: '// never Math.random\nconst jitter = random()\n' }],
  },
  {
    rule: 'the present instant',
    bad: [
      { path: 'services/keeper/x.ts', text: '// x\nconst at = Date.now()\n' },
      { path: 'shared/store/x.ts', text: '// x\nconst wall = Date.now\n' },
      { path: 'machines/x.ts', text: '// x\nconst at = new Date()\n' },
    ],
    good: [
      { path: 'shared/time/clock.ts', text: '// x\nconst at = Date.now()\n' },
      { path: 'services/gateway/x.ts', text: '// x\nconst text = new Date(at).toISOString()\n' },
      { path: 'test/bench/x.ts', text: '// x\nconst at = Date.now()\n' },
    ],
  },
  {
    rule: 'timers',
    bad: [
      { path: 'services/keeper/x.ts', text: '// x\nsetTimeout(run, 5)\n' },
      { path: 'shared/bus/x.ts', text: '// x\nsetInterval(run, 5)\n' },
      { path: 'shared/bus/x.ts', text: "// x\nimport { setTimeout as wait } from 'node:timers/promises'\n" },
    ],
    good: [
      { path: 'shared/time/clock.ts', text: '// x\nsetTimeout(run, 5)\n' },
      { path: 'services/keeper/x.ts', text: '// x\nclock.schedule(5, run)\n' },
    ],
  },
  {
    rule: 'node:http comes from',
    bad: [
      { path: 'services/notifier/x.ts', text: "// x\nimport { STATUS_CODES } from 'node:http'\n" },
      { path: 'infra/runtime/x.ts', text: "import http from 'node:http'\n" },
    ],
    good: [
      { path: 'services/notifier/x.ts', text: "// x\nimport type { Server } from 'node:http'\n" },
      { path: 'infra/demo/x.ts', text: "import { createServer } from 'node:http'\n" },
    ],
  },
  {
    rule: 'no file names a folder',
    bad: [
      { path: 'README.md', text: `cd ${machineFolder}\n` },
      { path: 'infra/x.ts', text: `fetch('https://${registryHost}/x')\n` },
    ],
    good: [{ path: 'README.md', text: 'see https://example.org/work/main and DELETE /users/{user}\n' }],
  },
  {
    rule: 'the lock file',
    bad: [{ path: 'package-lock.json', text: `{\n  "resolved": "https://${registryHost}/x"\n}` }],
    good: [{ path: 'package-lock.json', text: '{ "integrity": "sha512" }' }],
  },
  {
    rule: 'no test sleeps',
    bad: [
      { path: 'test/a.test.ts', text: `// x\nawait ${planting.sleeping}5)\n` },
      { path: 'test/a.test.ts', text: `// x\n${planting.alone}'x', fn)\n` },
      { path: 'test/a.test.ts', text: `// x\n${planting.leftOut}'x', fn)\n` },
      { path: 'test/a.test.ts', text: `// x\nawait new Promise(resolve => ${planting.waiting}, 5))\n` },
    ],
    good: [
      { path: 'test/a.test.ts', text: `// never ${planting.sleeping} here\nawait arrived\n` },
      { path: 'test/simulation/x.ts', text: '// x\nawait time.pass(500)\n' },
    ],
  },
  {
    rule: 'every file of the system',
    bad: [{ path: 'shared/x.ts', text: "import t from 'x'\n" }],
    good: [
      { path: 'shared/x.ts', text: "// What it is.\nimport t from 'x'\n" },
      { path: 'services/x/main.ts', text: '#!/usr/bin/env node\n// What it is.\n' },
    ],
  },
  {
    rule: 'a registered channel, kind of check or system Template',
    bad: [
      { path: 'services/notifier/x.ts', text: "// x\nconst isChat = type === 'slack'\n" },
      { path: 'services/dashboard/x.tsx', text: '// x\nconst words = { slack: 1 }\n' },
      { path: 'shared/channels/webhook/x.ts', text: '// x\nconst other = `slack`\n' },
      { path: 'infra/cli/x.ts', text: '// x\nif (plainChannel.type === type) run()\n' },
      { path: 'services/prober/x.ts', text: "// x\nif (entry.kind === 'website') run()\n" },
      { path: 'services/prober/checks/tcp/x.ts', text: "// x\nconst key = 'tls'\n" },
      {
        path: 'shared/checks/x.ts',
        text: "import { website } from './checks/website/website.ts'\nconst isFast = kindOf(check) === website\n",
      },
      {
        path: 'services/gateway/x.ts',
        text: "import { website } from '#shared/checks/website/website.ts'\nconst isFast = website.key === kind\n",
      },
      { path: 'services/keeper/x.ts', text: '// x\nconst isFast = kindOfTemplate(template) === kind\n' },
      { path: 'infra/demo/x.ts', text: "// x\nconst sent = { template: 'website-check' }\n" },
      { path: 'services/gateway/v3/x.ts', text: '// x\nconst examples = [`website-check@1`]\n' },
      { path: 'services/dashboard/x.tsx', text: '// x\nreturn template === websiteTemplate ? <A /> : <B />\n' },
      { path: 'services/dashboard/x.ts', text: "// x\nconst isChecked = kind === 'website'\n" },
      { path: 'services/directory/x.ts', text: "// x\nconst where = { kind: 'website' }\n" },
    ],
    good: [
      { path: 'shared/channels/slack/channel.ts', text: "// x\nconst type = 'slack'\n" },
      { path: 'shared/channels/registry.ts', text: '// x\nexport const plainChannel = webhook\n' },
      { path: 'services/notifier/x.ts', text: "// of 'slack' alone\nconst header = 'webhook-id'\n" },
      { path: 'test/notifier/x.ts', text: "const type = 'slack'\n" },
      { path: 'shared/checks/website/x.ts', text: "// x\nconst [key, template] = ['website', 'website-check@1']\n" },
      { path: 'services/prober/checks/registry.ts', text: '// x\nconst isOurs = kind === website.key\n' },
      {
        path: 'infra/demo/x.ts',
        text: "import { url } from '#shared/checks/website/fields.ts'\nif (website === null) return\n",
      },
      { path: 'services/gateway/x.ts', text: "// x\nimport { request } from 'node:http'\nconst most = limits.http.bodyBytes\n" },
      { path: 'services/gateway/x.ts', text: '// x\nconst isPlain = http === undefined\n' },
      { path: 'services/gateway/openapi/x.ts', text: "// x\nconst key = { type: 'http', scheme: 'bearer' }\n" },
      { path: 'services/keeper/x.ts', text: '// x\nif (kindOfTemplate(reference) !== null) run(websiteTemplate)\n' },
      { path: 'shared/checks/tcp/fields.ts', text: "// x\nconst secure = checkField({ key: 'tls', type: 'boolean' })\n" },
      { path: 'shared/bus/x.ts', text: "// x\nconst options: Pick<Options, 'tls'> = {}\n" },
    ],
  },
  {
    rule: 'no left-over marks',
    bad: [
      { path: 'infra/x.ts', text: `// ${planting.mark} more\n` },
      { path: 'README.md', text: `This is good enough ${planting.excuse}.\n` },
    ],
    good: [{ path: 'infra/x.ts', text: '// what is to do\n' }],
  },
  {
    rule: 'a path that a document cites',
    bad: [
      { path: 'README.md', text: 'see `services/no-such-thing.ts`\n' },
      { path: 'infra/adr/0001-x.md', text: 'see [it](shared/no-such-thing.ts)\n' },
      { path: 'README.md', text: 'see `services/*/no-such-thing.ts`\n' },
      { path: 'docs/x.md', text: 'see [it](shared/time/clock.ts)\n' },
    ],
    good: [
      { path: 'README.md', text: 'see `shared/time/clock.ts`, `shared/*.ts` and [rules](infra/gates/tidy-rules.ts#x)\n' },
      {
        path: 'docs/x.md',
        text: 'see [people](people.md#roles), [its code](../shared/time/clock.ts) and [this](/shared/time/clock.ts)\n',
      },
    ],
  },
  {
    rule: 'a command that a document cites',
    bad: [
      { path: 'README.md', text: '```sh\nnpm run no-such-script\n```\n' },
      { path: 'docs/x.md', text: 'first `./watchkeeper fly`\n' },
      { path: 'docs/x.md', text: '```sh\n./watchkeeper key burn\n```\n' },
      { path: 'docs/x.md', text: '```sh\nid=$(./watchkeeper workspace create one two)\n```\n' },
      { path: 'docs/x.md', text: '```sh\n./watchkeeper member role ann\n```\n' },
      { path: 'docs/x.md', text: '```sh\n./watchkeeper key create \\\n  --for ann\n```\n' },
    ],
    good: [
      { path: 'docs/x.md', text: 'the program `watchkeeper` and npm run in the middle of a sentence\n' },
      {
        path: 'docs/x.md',
        text: '```sh\nnpm ci\nnpm start -- --help\nnpm run check\n./watchkeeper key create --json > a-file\n./watchkeeper machines incident\nsudo -u watchkeeper env\n```\n',
      },
      { path: 'docs/x.md', text: '```sh\n./watchkeeper destination list 2>&1 || echo no\n```\n' },
      { path: 'docs/x.md', text: '`./watchkeeper member delete` and `./watchkeeper key delete <id of the old one>`\n' },
      { path: 'docs/x.md', text: '```sh\nid=$(./watchkeeper workspace create "a; b" --owner ann) # c\n```\n' },
    ],
  },
  {
    rule: 'a numbered rule',
    bad: [
      { path: 'shared/x.ts', text: '// Pure (v3 4.99)\n' },
      { path: 'services/x.ts', text: '// As reference/incidents 2.99 says\n' },
      { path: 'services/x.ts', text: '// As reference/incidents 2.1 to 2.99 says\n' },
      { path: 'services/x.ts', text: '// As reference/incidents 99 says\n' },
      { path: 'test/x.test.ts', text: "t.test('a window ends (reference/no-such-page 1.1)')\n" },
      { path: 'services/x.ts', text: '// Reference: docs/reference/v3.md, 10.1 to 10.99.\n' },
      { path: 'docs/x.md', text: 'see [incidents](reference/incidents.md#2-transitions) 2.99\n' },
      { path: 'docs/reference/x.md', text: 'see [incidents](incidents.md) 2.99\n' },
      { path: 'docs/x.md', text: 'see [rule 6.99](reference/v3.md) and [section 2](reference/v3.md#2-keys-and-roles)\n' },
    ],
    good: [
      { path: 'shared/x.ts', text: '// Pure (v3 4.1 to 4.3, 5.2; reference/judging 1.4, and reference/incidents 2)\n' },
      { path: 'docs/reference/x.md', text: 'see [incidents](incidents.md) 2.1 and [running it](running-it.md), 99.1\n' },
      { path: 'docs/x.md', text: 'see [incidents](incidents.md) 99 times\n' },
    ],
  },
  {
    rule: 'each rule of docs/reference',
    bad: [{ path: 'docs/reference/x.md', text: '## 1. One\n\n1. First.\n2. Second.\n\n1. Third.\n' }],
    good: [{ path: 'docs/reference/x.md', text: '## 1. One\n\n1. First.\n\n## 2. Two\n\n1. First.\n' }],
  },
  {
    rule: 'no file cites a numbered document',
    bad: [
      { path: 'services/x.ts', text: '// A window (spec B, Maintenance)\n' },
      { path: 'docs/x.md', text: 'as specification D 2 says\n' },
    ],
    good: [{ path: 'services/x.ts', text: '// Pure (reference/judging 1.4)\nconst spec = Collections\n' }],
  },
  {
    rule: 'the command is spelled',
    bad: [
      { path: 'docs/x.md', text: 'first `npx watchkeeper key list`\n' },
      { path: 'docs/x.md', text: 'first `npx --no watchkeeper key list`\n' },
      { path: 'infra/x.ts', text: "console.log('by npm run watchkeeper -- key list')\n" },
      { path: 'services/x.ts', text: '// see `watchkeeper key list`\n' },
      { path: 'infra/x.yaml', text: '# first: watchkeeper prober create de\n' },
    ],
    good: [
      { path: 'docs/x.md', text: 'first `./watchkeeper key list`; Watchkeeper key by key\n' },
      { path: 'infra/x.ts', text: "const name = 'watchkeeper prober'\n" },
      { path: 'infra/x.yaml', text: '# kubectl -n watchkeeper create secret generic watchkeeper\n' },
    ],
  },
  {
    rule: 'a log message is fixed',
    bad: [
      { path: 'services/x.ts', text: "// x\nlogger.warn({ err }, 'The store failed')\n" },
      { path: 'shared/x.ts', text: "// x\nlogger?.info('prober ready.')\n" },
      { path: 'infra/x.ts', text: '// x\nlogger.info({ id }, `prober ready`)\n' },
    ],
    good: [
      { path: 'services/x.ts', text: "// x\nlogger.warn({ err, name: 'X.' }, 'store failed')\n" },
      { path: 'services/x.ts', text: "// x\nlogger.warn('AUTH_DEV is on: every visitor is the owner')\n" },
      { path: 'test/x.ts', text: "// x\nlogger.info('Ready.')\n" },
    ],
  },
]

t.test('every rule finds its planted violation and accepts the similar file', async t => {
  t.equal(planted.length, tidyRules.length, 'each rule of the table has a plant')
  for (const [index, rule] of tidyRules.entries()) {
    const plant = planted[index]
    if (plant === undefined) continue
    t.ok(rule.name.startsWith(plant.rule), `"${plant.rule}" stands at the place of "${rule.name}"`)
    const broken = (file: SourceFile) => rule.applies(file.path) && rule.offences(file).length > 0
    for (const file of plant.bad) t.ok(broken(file), `${rule.name}: sees ${JSON.stringify(file.text)}`)
    for (const file of plant.good) t.notOk(broken(file), `${rule.name}: leaves ${JSON.stringify(file.text)}`)
  }
})

t.test('cited paths are read from back-ticks and links, without anchors', async t => {
  t.same(citedPaths('`shared/a.ts` and [b](infra/b.md#top), `npm start`, [c](https://example.org/d)'), [
    'shared/a.ts',
    'infra/b.md',
  ])
})

t.test('docs/settings.md equals the page made from the declared settings', async t => {
  t.equal(readFileSync('docs/settings.md', 'utf8'), settingsPage(), 'npm run docs writes it anew')
})

t.test('docs/checks.md equals the page made from the declared fields', async t => {
  t.equal(readFileSync('docs/checks.md', 'utf8'), checksPage(), 'npm run docs writes it anew')
})

t.test('docs/channels.md equals the page made from the declared settings', async t => {
  t.equal(readFileSync('docs/channels.md', 'utf8'), channelsPage(), 'npm run docs writes it anew')
})

t.test('docs/commands.md equals the page made from the declared commands', async t => {
  t.equal(readFileSync('docs/commands.md', 'utf8'), await commandsPage(), 'npm run docs writes it anew')
})

t.test('docs/mcp.md lists every tool as declared', t => {
  t.equal(readFileSync('docs/mcp.md', 'utf8'), mcpPage(), 'npm run docs writes it anew')
  t.end()
})

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
const files = [...new Set(listed.split('\n'))]
  .filter(path => path !== '' && existsSync(path))
  .map(path => ({ path, text: readFileSync(path, 'utf8') }))

for (const rule of tidyRules) {
  t.test(rule.name, async t => {
    const looked = files.filter(file => rule.applies(file.path))
    const offences = looked.flatMap(file => rule.offences(file).map(place => `${file.path}:${place}`))
    t.same(offences, [], 'offences')
  })
}

t.test('every page of docs/ is linked from its index', async t => {
  const linked = citedPaths(readFileSync('docs/README.md', 'utf8'), 'docs')
  const pages = files.map(({ path }) => path).filter(path => /^docs\/.*\.md$/.test(path) && path !== 'docs/README.md')
  t.strictSame(
    pages.filter(page => !linked.includes(page)),
    [],
  )
})

t.test(
  'lock file has a hash for every package, also for the Node that runs the program, and no package may run an install script',
  async t => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> }
    const installed = Object.entries(packages).filter(([path]) => path !== '')
    t.strictSame(
      installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
      [],
    )
    const { allowScripts, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      allowScripts: Record<string, boolean>
      optionalDependencies: Record<string, string>
    }
    const scripted = installed
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.split('node_modules/').at(-1) ?? '')
    t.strictSame(
      scripted.filter(name => allowScripts[name] !== false),
      [],
      'an install script would fetch what no hash covers',
    )
    const versions = new Set(
      Object.entries(optionalDependencies).flatMap(([name, version]) => (name.startsWith('node-') ? [version] : [])),
    )
    t.match(
      readFileSync('infra/Dockerfile', 'utf8'),
      new RegExp(`FROM node:${[...versions].join('|')}-slim`),
      'the image has the same Node',
    )
    t.equal(versions.size, 1)
  },
)

interface LockedPackage {
  integrity?: string
  hasInstallScript?: boolean
}

const rules = numberedRules(readFileSync('docs/reference/v3.md', 'utf8'))

t.test('every rule of docs/reference/v3.md is named in a test', async t => {
  const named = new Set(files.filter(({ path }) => path.endsWith('.test.ts')).flatMap(file => citedRules(file, 'v3')))
  t.strictSame(
    rules.filter(rule => !named.has(rule)),
    [],
  )
})

t.test('every page of docs/reference but its index has numbered rules', async t => {
  const pages = files.filter(({ path }) => /^docs\/reference\/(?!README)/.test(path))
  t.ok(pages.length >= 7)
  for (const { path, text } of pages) t.ok(numberedRules(text).length > 10, path)
})

t.test('citation of a rule has section and number, and several rules are joined by commas, `and`, `or` or `to`', async t => {
  t.strictSame(numberedRules('## 3. A\n\n1. x\n2. y\n   1. z\n## 4. B\n\n1. x\n'), ['3.1', '3.2', '4.1'])
  const text = 'v3 1.2, 1.4 and 5.6, (v3 7.3 to 7.5); 8.1 v35 v3 12'
  t.strictSame(citedRules({ path: 'x.ts', text }, 'v3'), ['1.2', '1.4', '5.6', '7.3', '7.4', '7.5'])
  const more = 'reference/incidents 4, 2 h; reference/judging 1.2 and 3.4; docs/reference/v3.md, 10.1'
  t.strictSame(citations({ path: 'x.ts', text: more }), [
    { page: 'incidents', rule: '4' },
    { page: 'judging', rule: '1.2' },
    { page: 'judging', rule: '3.4' },
    { page: 'v3', rule: '10.1' },
  ])
})
