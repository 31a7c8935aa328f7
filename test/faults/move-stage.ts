// An installation in one process that moves: from its folder to a server of MongoDB's wire protocol and a nats-server, and on to another
// folder. The command that moves it can be killed at any time, and is then run again.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import { connect } from '../bench/run/connection.ts'
import { type Ended, eventually, runProgram } from '../infra/run-program.ts'
import { type Program, startProgram } from '../integration/system.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { startSecantus } from '../support/store/secantus.ts'
import { startOutsideWorld } from './outside-world.ts'
import type { Ending } from './single-stage.ts'
import { caller, furnish, gatewayUrl, readFirstKey, type Stage } from './stage.ts'

export interface Moving {
  to: 'cluster' | 'folder'
  /** Instants at which the command is killed, ms after each of its starts. After the last it runs to its end. */
  killsMs: readonly number[]
  /** How the installation ends when the command asks for it. */
  ending: Ending
}

export interface MoveStage extends Stage {
  /** Moves the installation while it runs, and starts it at its new place. Resolves with the number of kills of the command. */
  move(moving: Moving): Promise<number>
}

/** Resolves with null if the store is not installed. */
export async function setMoveStage(): Promise<MoveStage | null> {
  const secantus = await startSecantus()
  if (secantus === null) return null
  const [folder, newFolder, testBus, outside] = await Promise.all([
    mkdtemp(join(tmpdir(), 'watchkeeper-move-')),
    mkdtemp(join(tmpdir(), 'watchkeeper-moved-')),
    startTestBus(),
    startOutsideWorld(),
  ])
  const cluster: Record<string, string> = {
    MONGODB_URL: `${secantus.url}/moved`,
    NATS_URL: testBus.url,
    NATS_TOKEN: testBus.token,
  }
  let settings: Record<string, string> = { DATA_DIR: folder }
  let program: Program | null = null
  const [programs, commands, undo]: [Program[], (() => string)[], (() => unknown)[]] = [[], [], []]
  let key = ''
  const start = async () => {
    program = await startProgram(settings)
    programs.push(program)
  }
  const end = async (how: Ending) => {
    const ending = program
    program = null
    if (how === 'killed') await ending?.kill()
    else await ending?.stop()
  }
  const runMove = async ({ to, killsMs, ending }: Moving): Promise<number> => {
    for (const [run, killMs] of [...killsMs, null].entries()) {
      const words = ['move', '--json', '--to', ...(to === 'folder' ? [join(newFolder, 'data')] : [])]
      const command = runProgram({ teardown: one => undo.push(one) }, words, { ...cluster, DATA_DIR: folder })
      commands.push(command.stderr)
      let isOver = false
      const ended = command.ended.finally(() => (isOver = true))
      const asks = () => /Stop .* now/.test(command.stderr())
      const stopping = eventually('it asks for the stop, or ends', () => isOver || asks()).then(() =>
        program !== null && asks() ? end(ending) : undefined,
      )
      if (killMs !== null) void pause(killMs).then(() => command.child.kill('SIGKILL'))
      const { code, stderr }: Ended = await ended
      await stopping
      if (code === 0) return run
      if (code !== null) throw new Error(`the move ended with ${code}: ${stderr}`)
    }
    throw new Error('the last move was killed by somebody else')
  }
  const stop = async () => {
    await end('killed')
    for (const one of undo) await one()
    await Promise.all([outside.close(), testBus.stop(), secantus.stop()])
    for (const each of [folder, newFolder]) await rm(each, { recursive: true, force: true, maxRetries: 3 })
  }
  const call = caller(
    () => gatewayUrl(programs.at(-1)?.output() ?? ''),
    () => key,
  )
  try {
    await start()
    key = await readFirstKey(folder)
    return {
      ...(await furnish(call, outside)),
      outside,
      call,
      command: async use => {
        const { keeper, close } = await connect(folder)
        await use(keeper).finally(close)
      },
      move: async moving => {
        const kills = await runMove(moving)
        if (moving.to === 'cluster') Object.assign(cluster, parseEnv(await readFile(join(folder, 'cluster.env'), 'utf8')))
        settings = moving.to === 'cluster' ? { DATA_DIR: folder, ...cluster } : { DATA_DIR: join(newFolder, 'data') }
        await start()
        return kills
      },
      output: () => [...programs.map(each => each.output()), ...commands.map(stderr => stderr())].join('\n'),
      endServices: () => end('killed'),
      openStore: () => openStore({ dataFolder: settings['DATA_DIR'] ?? '', logger: createLogger('silent') }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
