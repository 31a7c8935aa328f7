// What the target of observations over REST leaves room for: the same reports to a program that only reads and inserts.
import { join } from 'node:path'
import { type CustomFleet, createReports } from './custom-fleet.ts'
import { endChild, startChild, usageOfTree } from './processes.ts'
import { type Sent, sendByRest } from './push-observations.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts'

/** As `sendByRest`, to a process of its own with an empty store. */
export async function measureBareIntake(fleet: CustomFleet, load: { connections: number; seconds: number }): Promise<Sent> {
  const folder = makeTemporaryFolder()
  const program = new URL('./bare-intake.ts', import.meta.url).pathname
  const flags = ['--disable-warning=ExperimentalWarning']
  const child = startChild([...flags, program, join(folder, 'bare.db')], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', message => resolve(message as string))
      child.once('exit', code => reject(new Error(`The bare intake ended with ${code}.`)))
    })
    const system = { url, key: async () => 'none', usage: () => usageOfTree(child.pid as number) }
    return await sendByRest(system, { fleet, reports: createReports(fleet) }, load)
  } finally {
    await endChild(child, 'SIGKILL')
    removeTemporaryFolder(folder)
  }
}
