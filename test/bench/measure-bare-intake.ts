// What the target of observations over REST leaves room for: the same reports to programs that do a part of it and nothing else.
import { join } from 'node:path'
import { type CustomFleet, createReports } from './custom-fleet.ts'
import { endChild, startChild, usageOfTree } from './processes.ts'
import { type Sent, sendByRest } from './push-observations.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts'

export interface BareLoad {
  connections: number
  seconds: number
}

/** What a bare program says once it listens. */
export interface Listening {
  url: string
  key: string
}

/** Only read and inserted (bare-intake.ts), into an empty store. */
export async function measureBareIntake(fleet: CustomFleet, load: BareLoad): Promise<Sent> {
  const folder = makeTemporaryFolder()
  try {
    return await measureProgram(new URL('./bare-intake.ts', import.meta.url), [join(folder, 'bare.db')], { fleet, load })
  } finally {
    removeTemporaryFolder(folder)
  }
}

/** Only read, checked and answered, by the gateway with nothing behind it (bare-gateway.ts). */
export const measureBareGateway = (fleet: CustomFleet, load: BareLoad): Promise<Sent> =>
  measureProgram(new URL('./bare-gateway.ts', import.meta.url), [fleet.workspaceId, fleet.signals.join(',')], { fleet, load })

/** As `sendByRest`, to a process of its own. */
async function measureProgram(
  { pathname }: URL,
  given: string[],
  { fleet, load }: { fleet: CustomFleet; load: BareLoad },
): Promise<Sent> {
  const flags = ['--disable-warning=ExperimentalWarning']
  const child = startChild([...flags, pathname, ...given], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  try {
    const { url, key } = await new Promise<Listening>((resolve, reject) => {
      child.once('message', message => resolve(message as Listening))
      child.once('exit', code => reject(new Error(`${pathname} ended with ${code}.`)))
    })
    const system = { url, key: async () => key, usage: () => usageOfTree(child.pid as number) }
    return await sendByRest(system, { fleet, reports: createReports(fleet) }, load)
  } finally {
    await endChild(child, 'SIGKILL')
  }
}
