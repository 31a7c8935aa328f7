// What the target of observations over REST leaves room for: programs that do a part of it with the same reports, and nothing else.
import { join } from 'node:path'
import type { CustomFleet } from './fleet.ts'
import { endChild, startChild, usageOfTree } from './processes.ts'
import type { Receiver } from './push-observations.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts'

/** What a bare program says once it listens. */
export interface Listening {
  url: string
  key: string
}

export interface BareReceiver extends Receiver {
  stop(): Promise<void>
}

/** Only reads and inserts (bare-intake.ts), into an empty store. */
export const startBareIntake = (): Promise<BareReceiver> =>
  withStore(file => startProgram(new URL('./bare-intake.ts', import.meta.url), [file]))

/** Only reads, checks and answers: the gateway with nothing behind it (bare-gateway.ts). */
export const startBareGateway = ({ workspaceId, signals }: CustomFleet, file = ''): Promise<BareReceiver> =>
  startProgram(new URL('./bare-gateway.ts', import.meta.url), [workspaceId, signals.join(','), file])

/** The same, and stores after it has answered, many rows at once, in an empty store. */
export const startStoringGateway = (fleet: CustomFleet): Promise<BareReceiver> => withStore(file => startBareGateway(fleet, file))

async function withStore(start: (file: string) => Promise<BareReceiver>): Promise<BareReceiver> {
  const folder = makeTemporaryFolder()
  const receiver = await start(join(folder, 'bare.db'))
  const stop = async () => {
    await receiver.stop()
    removeTemporaryFolder(folder)
  }
  return { ...receiver, stop }
}

async function startProgram({ pathname }: URL, given: string[]): Promise<BareReceiver> {
  const flags = ['--disable-warning=ExperimentalWarning']
  const child = startChild([...flags, pathname, ...given], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { url, key } = await new Promise<Listening>((resolve, reject) => {
    child.once('message', message => resolve(message as Listening))
    child.once('exit', code => reject(new Error(`${pathname} ended with ${code}.`)))
  })
  return {
    url,
    key: async () => key,
    usage: () => usageOfTree(child.pid as number),
    stop: async () => void (await endChild(child, 'SIGKILL')),
  }
}
