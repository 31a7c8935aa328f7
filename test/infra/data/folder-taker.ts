// A program for the tests of the data folder. Takes each folder that a line of its input names, and prints whether it holds the folder.
import { createInterface } from 'node:readline'
import { takeDataFolder } from '../../../infra/runtime/data/data-folder.ts'

for await (const folder of createInterface(process.stdin)) {
  const taken = await takeDataFolder(folder, 'taker').then(
    () => true,
    () => false,
  )
  process.stdout.write(`${taken}\n`)
}
