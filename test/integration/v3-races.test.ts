// Concurrent calls of generation 3 to the same object, over HTTP with the real keeper, on both stores. Of two calls that exclude each other
// exactly one succeeds, and each response agrees with the store. Archives and rebinds during reports are in resource-races.test.ts. Each
// title cites its rule of docs/reference/v3.md.
import t, { type Test } from 'tap'
import type { Store } from '#shared/store/port.ts'
import { resourceStores, setResourceStage } from './resource-stage.ts'

/**
 * Returns a revision whose rule reads `probe`: a problem opens an Incident, which is confirmed at once. Revision 2 reads `load` instead.
 */
const revision = (key: string, number: number) => ({
  key,
  version: number,
  name: 'Host',
  fields: [{ key: 'team', type: 'string', default: 'core' }],
  signals: [
    { key: 'probe', kind: 'event' },
    { key: 'load', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: number === 1 ? 'probe' : 'load', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})

type Stage = Awaited<ReturnType<typeof setStage>>

async function setStage(t: Test, store: Store) {
  const { api } = await setResourceStage(t, store)
  const create = async (key: string) => (await api('POST', '/resources', { template: 'host@1', key, name: key })).result
  const rows = (id: string) => store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 1_000 })
  for (const number of [1, 2, 3]) await api('POST', '/templates', revision('host', number))
  return { store, api, create, rows }
}

const statuses = (answers: readonly { status: number }[]): number[] => answers.map(({ status }) => status).sort((a, b) => a - b)

/** Returns the expected statuses when exactly one of `count` calls succeeds. */
const oneOf = (count: number, won: number, lost: number): number[] => [won, ...Array(count - 1).fill(lost)]

const races: Record<string, (t: Test, stage: Stage, rounds: number) => Promise<void>> = {
  'one of several concurrent publications of a revision is 201, the others are 409 (v3 3.2)': racePublications,
  'one of several concurrent creations of a key is 201, the others are 409 `key` (v3 6.1)': raceCreations,
  'one of several concurrent rebinds to a revision is 200, the others are 422 `template` (v3 6.5)': raceRebinds,
  'one of several concurrent acknowledgements is 200, the others are 409 (v3 5.6)': raceAcknowledgements,
  'no concurrent change is lost, and each response has its own change (v3 6.3)': raceChanges,
  'id sent several times at once, alone and in batches, makes one Observation with one response (v3 7.2)': raceIds,
}

for (const [title, open, rounds] of resourceStores({ sqlite: 6, mongodb: 3 })) {
  t.test(title, { timeout: 240_000 }, async t => {
    const store = await open(t)
    if (store === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const stage = await setStage(t, store)
    for (const [name, race] of Object.entries(races)) await t.test(name, t => race(t, stage, rounds))
  })
}

async function racePublications(t: Test, { store, api }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `t${round}`
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) => api('POST', '/templates', { ...revision(key, 1), name: `Of ${i}` })),
    )
    t.strictSame(statuses(answers), oneOf(4, 201, 409))
    const [stored, ...others] = await store.find('templates', { where: { workspaceId: 'w1', key }, limit: 10 })
    t.strictSame([stored?.template.name, others], [answers.find(({ status }) => status === 201)?.result.name, []])
  }
}

async function raceCreations(t: Test, { store, api }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `created-${round}`
    const body = { template: 'host@1', key, name: 'Host' }
    const answers = await Promise.all(Array.from({ length: 4 }, () => api('POST', '/resources', body)))
    t.strictSame(statuses(answers), oneOf(4, 201, 409))
    for (const { error } of answers) if (error !== null) t.strictSame(error.details, { field: 'key' })
    const stored = await store.find('subjects', { where: { slug: key, workspaceId: 'w1' }, limit: 10 })
    t.strictSame(
      stored.map(({ id }) => id),
      [answers.find(({ status }) => status === 201)?.result.id],
    )
  }
}

async function raceRebinds(t: Test, { api, create }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `rebound-${round}`
    await create(key)
    const to = (number: number) => api('POST', `/resources/${key}/rebind`, { template: `host@${number}` })
    const same = await Promise.all([to(2), to(2), to(2)])
    t.strictSame(statuses(same), oneOf(3, 200, 422))
    for (const { error } of same) if (error !== null) t.strictSame(error.details, { field: 'template' })
    // If two calls differ, both are carried out, and the later one decides the final state.
    const others = await Promise.all([to(1), to(3)])
    t.strictSame(statuses(others), [200, 200])
    const { result } = await api('GET', `/resources/${key}`)
    t.ok(['host@1', 'host@3'].includes(result.template))
  }
}

async function raceAcknowledgements(t: Test, { api, create }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `taken-${round}`
    await create(key)
    await api('POST', `/resources/${key}/observations`, { signal: 'probe', state: 'problem' })
    const { result } = await api('GET', `/resources/${key}`)
    const path = `/incidents/${result.open_incident.id}`
    const answers = await Promise.all(Array.from({ length: 4 }, () => api('POST', `${path}/acknowledge`)))
    t.strictSame(statuses(answers), oneOf(4, 200, 409))
    const won = answers.find(({ status }) => status === 200)?.result
    t.strictSame((await api('GET', path)).result.acknowledgement, won.acknowledgement)
  }
}

async function raceChanges(t: Test, { api, create }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `changed-${round}`
    await create(key)
    const change = (body: object) => api('PATCH', `/resources/${key}`, body)
    const [named, answered, ...labelled] = await Promise.all([
      change({ name: 'Renamed' }),
      change({ meta: { team: 'shop' } }),
      ...['a', 'b', 'c', 'd'].map(label => change({ labels: { [label]: label } })),
    ])
    t.strictSame(new Set(statuses([named, answered, ...labelled])), new Set([200]))
    t.equal(named.result.name, 'Renamed')
    t.equal(answered.result.meta.team, 'shop')
    for (const [i, label] of ['a', 'b', 'c', 'd'].entries()) t.equal(labelled[i]?.result.labels[label], label)
    const { result } = await api('GET', `/resources/${key}`)
    t.match(result, { name: 'Renamed', meta: { team: 'shop' }, labels: { a: 'a', b: 'b', c: 'c', d: 'd' } })
  }
}

async function raceIds(t: Test, { api, create, rows }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `sent-${round}`
    const { id } = await create(key)
    const report = (value: number) => ({ signal: 'probe', state: 'ok', value, id: 'one' })
    const single = (value: number) => api('POST', `/resources/${key}/observations`, report(value))
    const batch = (values: number[]) =>
      api('POST', '/observations', { observations: values.map(value => ({ resource: id, ...report(value) })) })
    const [first, second, both, third] = await Promise.all([single(1), single(2), batch([3, 4]), single(5)])
    t.strictSame(statuses([first, second, third]), [202, 202, 202])
    t.equal(both.result.accepted, 2)
    const answers = [first, second, third].map(({ result }) => result)
    for (const { index: _index, status: _status, ...item } of both.result.results) answers.push(item)
    for (const answer of answers) t.strictSame(answer, answers[0], 'each response is the first one')
    t.equal((await rows(id)).length, 1)
  }
}
