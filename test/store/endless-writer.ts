// A program for the store's tests. Writes rounds to the given file until it is killed, and prints each round's number after the store's
// response. Continues after the last round of the file. If the file cannot be opened, prints the reason.
import type { PutResult, Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { observation } from './documents.ts'

const [, , file = ''] = process.argv

async function writeRound(store: Store, round: number): Promise<PutResult[]> {
  const prefix = `round${String(round).padStart(8, '0')}`
  const observed = store.upsert(
    'observations',
    ['a', 'b', 'c'].map(letter => observation(prefix + letter)),
  )
  const counted = store.replace('counters', [{ id: 'rounds', rev: round, next: round }])
  return (await Promise.all([observed, counted])).flat()
}

try {
  const store = await openSqliteStore(file)
  const [counter] = await store.get('counters', ['rounds'])
  for (let round = (counter?.next ?? 0) + 1; ; round++) {
    const results = await writeRound(store, round)
    if (round % 7 === 0) await store.embedded?.flush()
    if (results.some(result => result !== 'written')) throw new Error(`round ${round} was not written`)
    process.stdout.write(`${round}\n`)
  }
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`)
}
