// Fields of the kinds of checks: what follows from them, and the forms that stored checks and check entries keep.
import t from 'tap'
import { checkAnswers, isKnownCheck, readCheckAnswers } from '#shared/checks/check-answers.ts'
import { checkField } from '#shared/checks/check-field.ts'
import { type CheckKind, plainEntry } from '#shared/checks/check-kind.ts'
import { faultOf } from '#shared/checks/field-values.ts'
import { entryOf, findKind } from '#shared/checks/registry.ts'
import { locations, watchFields } from '#shared/checks/watch-fields.ts'
import { statuses } from '#shared/checks/website/fields.ts'
import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import { allSystemTemplates, checkFieldOf, findSystemTemplate, isBuiltIn } from '#shared/manifest/system-templates.ts'

const website: WebsiteCheck = {
  url: 'https://shop.example/',
  method: 'GET',
  content_type: '',
  data: '',
  statuses: [200],
  expected_text: '',
  locations: ['aaaa'],
  interval_value: 1,
  interval_unit: 'MINUTE',
  failure_mode: 'all',
  confirm_after: null,
  recover_after: 60,
}

t.test(
  'each field of a system Template has its own key and the bounds of its kind, and accepts its default (v3 3.23)',
  async t => {
    for (const template of allSystemTemplates()) {
      const keys = template.fields.map(field => field.key)
      t.equal(new Set([...keys, 'kind']).size, keys.length + 1, template.key)
      for (const { key, default: usual } of template.fields) {
        const field = checkFieldOf(template, key)
        t.ok(field, key)
        if (field !== null && usual !== null) t.equal(faultOf(field, usual), null, key)
        t.equal(
          checkFieldOf({ ...template, isSystem: undefined as never }, key),
          null,
          'a Template of the same key has its own bounds',
        )
      }
    }
  },
)

t.test(
  'rules of system Templates name their own signals, and all but websites read them as published ones do (v3 3.23)',
  async t => {
    const parts = allSystemTemplates().map(template => {
      const { key, signals, rules } = template
      return [key, signals.map(signal => signal.key), rules.map(rule => rule.key), isBuiltIn(template)]
    })
    t.strictSame(parts, [
      ['website-check', ['reachability'], ['availability'], true],
      ['http-check', ['reachability', 'certificate'], ['availability', 'certificate', 'slow'], false],
      ['certificate-check', ['certificate'], ['certificate'], false],
      ['tcp-check', ['reachability'], ['availability'], false],
      ['dns-check', ['reachability'], ['availability'], false],
      ['ping-check', ['reachability'], ['availability', 'slow'], false],
      ['heartbeat-check', ['run'], ['run'], false],
    ])
  },
)

t.test('sentence about a list that is refused names what it holds, how many of it, and the bounds of numbers', async t => {
  t.equal(faultOf(statuses, [99]), 'must hold 1 to 10 statuses, 100 to 599')
  t.equal(faultOf(locations, []), 'must hold 1 to 64 Location ids')
})

t.test('check entry of a website keeps its bytes, because older probers read it', async t => {
  const bytes =
    '{"rev":3,"url":"https://shop.example/","method":"GET","contentType":"","data":"","statuses":[200],"expectedText":"","intervalMs":60000}'
  t.equal(JSON.stringify(entryOf(website, 3)), bytes)
  t.ok(findKind({})?.isEntry(JSON.parse(bytes)))
  t.notOk(findKind({})?.isEntry({ ...JSON.parse(bytes), statuses: ['200'] }))
  t.notOk(findKind({})?.isEntry({ rev: 3, intervalMs: 60_000 }))
})

t.test('a reference without a version is the highest version, and unknown ones are none', async t => {
  t.equal(findSystemTemplate('website-check'), findSystemTemplate('website-check@1'))
  t.strictSame(
    [findSystemTemplate('website-check@2'), findSystemTemplate('shop'), findKind({ kind: 'shop' })],
    [null, null, null],
  )
  t.notOk(isKnownCheck({ ...website, kind: 'shop' }))
  t.ok(isKnownCheck(website))
  t.notOk(isKnownCheck({ ...website, url: 'shop' }))
})

t.test('a field that is newer than a stored check has its default there, and leaves its check entry as it is', async t => {
  const target = checkField({ key: 'target', type: 'string', label: 'Target', required: true, characters: 10 })
  const words = checkField({
    ...{ key: 'words', type: 'string_list', label: 'Words', default: ['a'], items: [0, 2], characters: 3, isLater: true },
  })
  const fields = [target, words]
  const shown = () => ({ method: 'say', target: '', url: '', host: null })
  const named = { key: 'later', name: 'Later', watches: 'What is later', help: '', value: { name: 'Time', unit: 'ms' } }
  const kind: CheckKind = { ...named, fields, watch: watchFields(60), templates: [], shown, ...plainEntry('later', fields) }
  const { url: _, ...rest } = website
  const stored = { ...rest, kind: 'later', target: 'x' } as StoredCheck
  const asked = { target: 'x', locations: ['aaaa'], interval_seconds: 10 }
  t.strictSame(kind.entry(stored), { kind: 'later', options: { target: 'x' } })
  t.strictSame(kind.entry(readCheckAnswers(kind, asked, null)), kind.entry(stored), 'also if the default is stored')
  t.strictSame(kind.entry(readCheckAnswers(kind, { ...asked, words: ['b'] }, null)), {
    ...{ kind: 'later', options: { target: 'x', words: ['b'] } },
  })
  t.throws(() => readCheckAnswers(kind, { ...asked, words: ['long'] }, null), { message: /^Field 'words' must hold/ })
  t.throws(() => readCheckAnswers(kind, { ...asked, words: ['a', 'b', 'c'] }, null), { message: /^Field 'words' must hold/ })
  t.ok(kind.isEntry({ options: { target: 'x' } }) && !kind.isEntry({ options: { words: [] } }) && !kind.isEntry({}))
  t.strictSame(checkAnswers(website).confirm_after, 120)
})
