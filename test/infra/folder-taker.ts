// A program for the tests of the data folder: takes each folder that it is named on a line, and says whether it has it.
import { createInterface } from 'node:readline'
import { takeDataFolder } from '../../infra/embedded/data-folder.ts'

for await (const folder of createInterface(process.stdin)) {
  const taken = await takeDataFolder(folder, 'taker').then(
    () => true,
    () => false,
  )
  process.stdout.write(`${taken}\n`)
}
