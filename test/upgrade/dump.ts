// Dumps of a database over the wire protocol of MongoDB: all documents of all collections, in MongoDB's extended JSON. A start creates the
// indexes again.
import { BSON, MongoClient } from 'mongodb'

type Dump = Record<string, BSON.Document[]>

/** Returns the dump of the database that the URL names. */
export async function dumpDatabase(url: string): Promise<string> {
  const client = await MongoClient.connect(url)
  const dump: Dump = {}
  for (const collection of await client.db().collections()) dump[collection.collectionName] = await collection.find().toArray()
  await client.close()
  return BSON.EJSON.stringify(dump, { relaxed: false })
}

/** Writes a dump into an empty database. */
export async function restoreDatabase(url: string, text: string): Promise<void> {
  const client = await MongoClient.connect(url)
  for (const [name, documents] of Object.entries(BSON.EJSON.parse(text, { relaxed: false }) as Dump))
    if (documents.length > 0) await client.db().collection(name).insertMany(documents)
  await client.close()
}
