// Concurrent calls to one Resource, over HTTP with the real keeper, on both stores: first reports at Observation addresses, and archives
// and rebinds during reports (docs/reference/v3.md, 6.4, 6.5 and 8.4).
import t, { type Test } from 'tap'
import type { Store } from '#shared/store/port.ts'
import { call } from '../support/worlds/api-world.ts'
import { resourceStores, setResourceStage } from './resource-stage.ts'

const host = (key: string) => ({
  key,
  version: 1,
  name: 'Host',
  signals: [
    { key: 'probe', kind: 'event' },
    { key: 'load', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})

async function setStage(t: Test, store: Store) {
  const { base, api } = await setResourceStage(t, store)
  for (const key of ['host', 'other']) await api('POST', '/templates', host(key))
  const addresses = await Promise.all(Array.from({ length: 3 }, async () => (await api('POST', '/addresses', {})).result.token))
  const send = (i: number, body: object) => call(base, 'POST', `/in/${addresses[i % addresses.length]}`, { body })
  return { store, api, send }
}

const senders = 8

for (const [title, open, rounds] of resourceStores({ sqlite: 12, mongodb: 4 })) {
  t.test(title, { timeout: 120_000 }, async t => {
    const store = await open(t)
    if (store === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const { api, send } = await setStage(t, store)

    await t.test('concurrent first reports with one key create one Resource with all their Observations', async t => {
      for (let round = 0; round < rounds; round++) {
        const resource = `srv-${round}`
        const answers = await Promise.all(
          Array.from({ length: senders }, (_, i) => {
            const template_id = i % 4 === 3 ? 'other' : 'host'
            return send(i, { resource, template_id, signal: i % 2 === 0 ? 'probe' : 'load', state: 'ok', id: `run-${i}` })
          }),
        )
        t.strictSame(new Set(answers.map(({ status }) => status)), new Set([202]))
        const ids = new Set(answers.map(({ json }) => json.result.resource))
        t.equal(ids.size, 1, 'one Resource')
        t.equal(await store.count('subjects', { slug: resource }), 1)
        const [id] = ids
        const rows = await store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
        t.equal(rows.length, senders, 'every report is stored once')
      }
      t.equal((await store.find('names', { limit: 100 })).length, rounds)
    })

    await t.test('concurrent first report and creation with one key create one Resource', async t => {
      for (let round = 0; round < rounds; round++) {
        const key = `both-${round}`
        const body = { template: 'host', key, name: 'By a person' }
        const [made, reported] = await Promise.all([
          api('POST', '/resources', body),
          send(0, { resource: key, template_id: 'host', signal: 'probe', state: 'ok' }),
        ])
        t.equal(reported.status, 202)
        t.equal(await store.count('subjects', { slug: key }), 1)
        if (made.error === null) t.equal(made.result.id, reported.json.result.resource)
        else t.match(made.error, { code: 1409, details: { field: 'key' } })
      }
    })

    await t.test('of concurrent first reports, the refused reports store nothing and the accepted report is stored', async t => {
      for (let round = 0; round < rounds; round++) {
        const resource = `mixed-${round}`
        const answers = await Promise.all(
          Array.from({ length: senders }, (_, i) =>
            send(i, { resource, template_id: 'host', signal: i === 0 ? 'probe' : 'speed', state: 'ok' }),
          ),
        )
        t.strictSame(
          answers.map(({ status }) => status),
          [202, ...Array(senders - 1).fill(422)],
        )
        const { resource: id } = answers[0]?.json.result ?? {}
        const rows = await store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
        t.equal(rows.length, 1)
      }
    })

    await t.test('Observation during an archive is either accepted and stored, or refused (v3 6.4)', async t => {
      for (let round = 0; round < rounds; round++) {
        const { id } = (await api('POST', '/resources', { template: 'host', key: `old-${round}`, name: 'Old' })).result
        const path = `/resources/${id}`
        const report = (i: number) =>
          api('POST', `${path}/observations`, { signal: 'probe', state: 'problem', id: `run-${i}`, value: i })
        const calls = Array.from({ length: 2 * senders }, (_, i) =>
          i % senders === 3 ? api('POST', `${path}/archive`) : report(i),
        )
        const answers = await Promise.all(calls)
        const archives = answers.filter((_, i) => i % senders === 3)
        t.strictSame(archives.map(({ error }) => error?.code ?? null).toSorted(), [1409, null], 'one of two archives')
        const reports = answers.filter((_, i) => i % senders !== 3)
        for (const { error } of reports) if (error !== null) t.match(error, { code: 1422, details: { field: 'resource' } })
        const accepted = reports.filter(({ error }) => error === null).map(({ result }) => result.observation)
        const rows = await store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
        t.strictSame(
          rows.map(({ sentId }) => sentId).toSorted(),
          accepted.toSorted(),
          'what is accepted is stored, and nothing else',
        )
        const incidents = await store.find('incidents', { where: { subjectId: id }, limit: 10 })
        t.equal(incidents.length, Math.min(1, accepted.length))
        for (const one of incidents) t.match(one, { open: 0, closedReason: 'resource_archived' })
        t.match((await api('GET', path)).result, { open_incident: null, archived_at: /Z$/ })
      }
    })

    await t.test('no report is lost during rebinds, and at most one incident is open (v3 6.5)', async t => {
      for (let round = 0; round < rounds; round++) {
        const { id } = (await api('POST', '/resources', { template: 'host', key: `bound-${round}`, name: 'Bound' })).result
        const path = `/resources/${id}`
        const calls = Array.from({ length: 2 * senders }, (_, i) =>
          i % 4 === 3
            ? api('POST', `${path}/rebind`, { template: i % 8 === 3 ? 'other' : 'host' })
            : api('POST', `${path}/observations`, { signal: 'probe', state: 'problem', id: `run-${i}` }),
        )
        const answers = await Promise.all(calls)
        for (const [i, { error }] of answers.entries())
          if (i % 4 !== 3) t.equal(error, null)
          else if (error !== null) t.match(error, { code: 1422, details: { field: 'template' } }, 'bound to it already')
        const rows = await store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
        t.equal(rows.length, 1.5 * senders)
        const incidents = await store.find('incidents', { where: { subjectId: id }, limit: 100 })
        const open = incidents.filter(one => one.open === 1)
        t.equal(open.length, 1, 'the one of the revision that it has now')
        for (const one of incidents) if (one.open === 0) t.match(one, { closedReason: 'rule_removed' })
        const detail = (await api('GET', path)).result
        t.match(detail.rules, [{ key: 'down', status: 'problem', explanation: 'probe problem' }])
        t.equal(detail.rules[0].open_incident, detail.open_incident.id)
      }
    })
  })
}
