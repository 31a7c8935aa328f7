// Bare receivers: programs that do only a part of an installation's work with the same reports. The installation cannot accept more
// observations a second over REST than any of these programs.
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

/** Starts the program that only reads reports and inserts them into an empty store (bare-intake.ts). */
export const startBareIntake = (): Promise<BareReceiver> =>
  withStore(file => startProgram(new URL('./bare-intake.ts', import.meta.url), [file]))

/** Starts the gateway without a keeper (bare-gateway.ts), which only reads and checks reports and responds. */
export const startBareGateway = ({ workspaceId, signals }: CustomFleet, file = ''): Promise<BareReceiver> =>
  startProgram(new URL('./bare-gateway.ts', import.meta.url), [workspaceId, signals.join(','), file])

/** Starts the gateway without a keeper, with an empty store. It first responds to reports and then stores many of them at once. */
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
