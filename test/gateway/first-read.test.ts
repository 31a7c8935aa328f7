// Images in the memory of the gateway and of the door: what is asked for during the first read waits for it, and is never answered from
// half of it.
import t from 'tap'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { ChangeLog } from '../../services/directory/door/change-log.ts'
import { createIdentities } from '../../services/gateway/callers/token-memory.ts'
import { createLocationNames } from '../../services/gateway/subjects/location-names.ts'
import { createHandClock } from '../support/hand-clock.ts'

const settled = () => new Promise<void>(resolve => setImmediate(resolve))

/** Returns a read that the test ends, and the number of its calls. */
function held<T>() {
  const reads: PromiseWithResolvers<T>[] = []
  const read = () => {
    const one = Promise.withResolvers<T>()
    reads.push(one)
    return one.promise
  }
  return { reads, read }
}

t.test('names of locations that are asked for during the first read wait for it, or fail with it', async t => {
  const { reads, read } = held<LocationView[]>()
  const names = createLocationNames(createHandClock(), read)
  const failing = [names.namer(['aaaa'], 'x'), names.namer(['aaaa'], 'x')].map(one => t.rejects(one, /away/))
  reads[0]?.reject(new Error('away'))
  await Promise.all(failing)
  const asked = [names.namer(['aaaa'], 'x'), names.namer(['aaaa'], 'x')]
  t.equal(names.remembered('aaaa'), null, 'what must not wait says that it does not know')
  t.equal(reads.length, 2, 'one read for all of them')
  reads[1]?.resolve([{ id: 'aaaa', name: 'oslo' } as LocationView])
  for (const namesOf of await Promise.all(asked)) t.strictSame(namesOf(['aaaa']), ['oslo'])
  t.equal(names.remembered('aaaa'), 'oslo')
})

t.test('owner of a key that is asked for during the first question waits for its answer, or fails with it', async t => {
  const { reads, read } = held<Identity | null>()
  const identities = createIdentities(createHandClock(), read)
  const failing = [identities.find('hash'), identities.find('hash')].map(one => t.rejects(one, /away/))
  reads[0]?.reject(new Error('away'))
  await Promise.all(failing)
  const asked = [identities.find('hash'), identities.find('hash')]
  t.equal(identities.known('hash'), null)
  t.equal(reads.length, 2)
  const owner = { keyId: 'k', userId: 'u', expiresAt: null } as unknown as Identity
  reads[1]?.resolve(owner)
  t.strictSame(await Promise.all(asked), [owner, owner])
})

t.test('change log of the door answers from the bus until its watch has delivered all present entries', async t => {
  let ready = () => {}
  let watches = 0
  const bucket = {
    watch: async (_filter: string, handlers: { onEntry(entry: object): void; onReady(): void }) => {
      watches++
      handlers.onEntry({ key: 'aaaa.site', revision: 3, at: 1, value: '{}' })
      ready = handlers.onReady
      return { close: async () => undefined }
    },
  }
  const log = new ChangeLog({ of: 'checks', bucket: bucket as never, onChange: () => undefined })
  const following = [log.follow(), log.follow()]
  let followed = 0
  for (const one of following) void one.then(() => followed++)
  await settled()
  log.learn({ stream: 's', revision: 1 }, log.generation())
  for (const revision of [0, 1, 3])
    t.equal(log.after('aaaa', { stream: 's', revision }), null, 'half of the entries are no answer')
  t.equal(followed, 0)
  ready()
  await Promise.all(following)
  t.equal(watches, 1, 'the second one joins')
  t.match(log.after('aaaa', { stream: 's', revision: 3 }), { changes: [], isLast: true })
  t.equal(log.after('aaaa', { stream: 's', revision: 2 }), null, 'what came before the watch is read from the bus')
})
