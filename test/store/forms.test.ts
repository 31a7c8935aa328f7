// Documents of an earlier form are upgraded when they are read, on both stores.
import { type Test, test } from 'tap'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { withForms } from '#shared/store/forms.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import { type Store, UnreadableDocument } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { subject } from './documents.ts'

/** Present form of the test: schema 3, in which every subject has the label `form`. */
const form = {
  schema: 3,
  upgrade: (stored: SubjectDocument) => ({ ...stored, labels: { ...stored.labels, form: `of ${'schema' in stored ? 2 : 1}` } }),
}

const stored = (id: string, schema?: unknown) =>
  ({ ...subject(id), ...(schema === undefined ? {} : { schema }) }) as SubjectDocument

async function formsContract(t: Test, store: Store): Promise<void> {
  t.teardown(() => store.close())
  await store.insert('subjects', [stored('first'), stored('second', 2), stored('third', 3)])
  const read = withForms(store, { subjects: form })
  const expected = [
    { ...stored('first', 3), labels: { form: 'of 1' } },
    { ...stored('second', 3), labels: { form: 'of 2' } },
    stored('third', 3),
  ]
  t.strictSame(await read.get('subjects', ['first', 'none', 'second', 'third']), expected.toSpliced(1, 0, null as never))
  t.strictSame(await read.find('subjects', { limit: 10 }), expected)
  t.strictSame(await read.find('subjects', { limit: 1, select: ['name'] }), [{ id: 'first', name: stored('first').name }])

  // A document that is written again has the present schema from then on.
  const [first] = await read.get('subjects', ['first'])
  await read.replace('subjects', [{ ...first!, rev: 2 }])
  t.strictSame(await read.get('subjects', ['first']), [{ ...expected[0]!, rev: 2 }])

  await store.insert('subjects', [stored('later', 4), stored('damaged', 'two')])
  for (const id of ['later', 'damaged']) {
    const error = await read.get('subjects', [id]).catch(thrown => thrown)
    t.ok(error instanceof UnreadableDocument)
    t.match(
      error.message,
      /can't be read: its schema is (4|two), and this version knows up to 3: install the version that wrote it$/,
    )
    t.ok(await read.get('subjects', ['first']), 'other documents are read')
  }
}

test('document of an earlier form is upgraded when it is read from SQLite', async t =>
  formsContract(t, await openSqliteStore(`${t.testdir()}/store.db`)))

test('document of an earlier form is upgraded when it is read over the wire protocol of MongoDB', async t => {
  const mongodbUrl = await sharedMongodb(t)
  if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  await formsContract(t, await openMongodbStore(mongodbUrl))
})
