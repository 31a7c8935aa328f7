// Bare receivers: programs that do only a part of an installation's work with the same reports. The installation's rate of observations
// over REST cannot exceed their rates.
import { join } from 'node:path'
import type { CustomFleet } from '../fleets/fleet.ts'
import type { Receiver } from '../fleets/push-observations.ts'
import { endChild, startChild, usageOfTree } from '../run/processes.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../run/temporary-folder.ts'

/** Line that a bare program prints when it listens. */
export interface Listening {
  url: string
  key: string
}

export interface BareReceiver extends Receiver {
  stop(): Promise<void>
}

/** Starts the program that only reads and inserts (bare-intake.ts), into an empty store. */
export const startBareIntake = (): Promise<BareReceiver> =>
  withStore(file => startProgram(new URL('./bare-intake.ts', import.meta.url), [file]))

/** Starts the program that only reads, checks and responds: the gateway without a keeper (bare-gateway.ts). */
export const startBareGateway = ({ workspaceId, signals }: CustomFleet, file = ''): Promise<BareReceiver> =>
  startProgram(new URL('./bare-gateway.ts', import.meta.url), [workspaceId, signals.join(','), file])

/** Starts the gateway without a keeper that stores many rows at once after the responses, in an empty store. */
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
